/** The rules behind `--demo`: a few patterns in place of a language model, so that a machine without a key runs the whole path. */

/** What the demo answers to one request. */
export interface DemoTurn {
  text?: string;
  calls?: { name: string; arguments: Record<string, unknown> }[];
}

interface DemoMessage {
  role: string;
  content?: unknown;
}

const HELLO: Record<string, [fence: string, code: string, run: string]> = {
  go: ['go', 'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("Hello, world!")\n}', 'go run hello.go'],
  python: ['python', 'print("Hello, world!")', 'python3 hello.py'],
  javascript: ['javascript', 'console.log("Hello, world!");', 'node hello.js'],
  typescript: ['typescript', 'const greeting: string = "Hello, world!";\nconsole.log(greeting);', 'npx tsx hello.ts'],
  rust: ['rust', 'fn main() {\n    println!("Hello, world!");\n}', 'rustc hello.rs && ./hello'],
  c: ['c', '#include <stdio.h>\n\nint main(void) {\n    puts("Hello, world!");\n    return 0;\n}', 'cc hello.c -o hello && ./hello'],
  'c++': ['cpp', '#include <iostream>\n\nint main() {\n    std::cout << "Hello, world!\\n";\n}', 'c++ hello.cpp -o hello && ./hello'],
  java: [
    'java',
    'public class Hello {\n    public static void main(String[] args) {\n        System.out.println("Hello, world!");\n    }\n}',
    'java Hello.java',
  ],
  ruby: ['ruby', 'puts "Hello, world!"', 'ruby hello.rb'],
  bash: ['bash', '#!/usr/bin/env bash\necho "Hello, world!"', 'bash hello.sh'],
  php: ['php', '<?php\necho "Hello, world!\\n";', 'php hello.php'],
  haskell: ['haskell', 'main :: IO ()\nmain = putStrLn "Hello, world!"', 'runghc hello.hs'],
};

const ALIASES: Record<string, string> = {
  golang: 'go',
  js: 'javascript',
  node: 'javascript',
  ts: 'typescript',
  py: 'python',
  shell: 'bash',
  sh: 'bash',
  cpp: 'c++',
};

const FIZZBUZZ: Record<string, string> = {
  python: 'for n in range(1, 101):\n    print("FizzBuzz" if n % 15 == 0 else "Fizz" if n % 3 == 0 else "Buzz" if n % 5 == 0 else n)',
  javascript:
    'for (let n = 1; n <= 100; n++) {\n  console.log(n % 15 === 0 ? "FizzBuzz" : n % 3 === 0 ? "Fizz" : n % 5 === 0 ? "Buzz" : n);\n}',
};

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';

function languageIn(text: string): string | undefined {
  const words = text.toLowerCase().match(/[a-z+#]+/g) ?? [];
  const found = words.map((word) => ALIASES[word] ?? word).filter((word) => Object.hasOwn(HELLO, word));
  return found.find((word) => word.length > 1) ?? found[0];
}

const block = (fence: string, code: string) => `\`\`\`${fence}\n${code}\n\`\`\``;

function codeFor(task: string): string {
  const language = languageIn(task) ?? 'python';
  if (/fizz ?buzz/i.test(task)) {
    const known = Object.hasOwn(FIZZBUZZ, language) ? language : 'python';
    return `${block(known, FIZZBUZZ[known] ?? '')}\n\nPrints 1 to 100 with Fizz, Buzz and FizzBuzz.`;
  }
  const [fence, code, run] = HELLO[language] ?? ['python', 'print("Hello, world!")', 'python3 hello.py'];
  const note = /hello/i.test(task)
    ? ''
    : `\n\nThe demo knows hello world in ${Object.keys(HELLO).length} languages and FizzBuzz; a real model at CODER_ENDPOINT would write what you asked for.`;
  return `${block(fence, code)}\n\nRun it with: \`${run}\`${note}`;
}

/** The specialists of the demo, by the model name that their requests carry. */
export function specialistTurn(model: string, messages: readonly DemoMessage[]): DemoTurn {
  const task = textOf(messages.at(-1)?.content);
  if (model === 'demo-coder') return { text: codeFor(task) };
  const sentences = task.split(/(?<=[.!?])\s+/).filter(Boolean);
  if (model === 'demo-summarizer')
    return { text: `${sentences[0] ?? task}\n\n(${sentences.length} sentences, ${task.length} characters in all.)` };
  const lines = task.split('\n').length;
  return { text: `Read ${lines} line${lines === 1 ? '' : 's'}. A few rules cannot judge them; a real model at REVIEWER_ENDPOINT can.` };
}

const WANTS = [
  {
    name: 'Coder',
    pattern: /\b(code|program|script|function|write|implement|hello world|fizz ?buzz)\b|代码|程序|函数|编写/i,
    saying: 'I am handing this to Coder.',
  },
  { name: 'Reviewer', pattern: /\breview\b|审查/i, saying: 'I am asking Reviewer to look at this.' },
  { name: 'Summarizer', pattern: /\b(summari[sz]e|shorten|condense)\b|总结|摘要/i, saying: 'I am asking Summarizer for the short form.' },
];

const ABOUT =
  'This is the demo: a few rules inside frost answer in place of a language model, over real HTTP on this machine. Ask it to write a hello world in a language of your choice and it hands the work to Coder. For real answers set UPSTREAM_ENDPOINT, UPSTREAM_API_KEY and MODEL_NAME.';

/** What a specialist's result says below its line of facts. */
function answerIn(result: string): string {
  const [facts = '', ...rest] = result.split('\n\n');
  return facts.startsWith('{') ? rest.join('\n\n') : result;
}

/** The main agent of the demo: says what it does, delegates, then weaves the answer in. */
export function mainTurn(messages: readonly DemoMessage[], offersSubagents: boolean): DemoTurn {
  const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1).filter(({ role }) => role === 'tool');
  const last = textOf(results.at(-1)?.content);
  if (results.length > 0) return { text: `${answerIn(last) || last}\n` };
  const prompt = textOf(messages.findLast(({ role }) => role === 'user')?.content);
  const wanted = WANTS.find(({ pattern }) => pattern.test(prompt));
  if (!wanted || !offersSubagents) return { text: ABOUT };
  return {
    calls: [
      { name: 'send_message', arguments: { text: wanted.saying } },
      { name: 'use_subagent', arguments: { subagent_name: wanted.name, content: prompt } },
    ],
  };
}
