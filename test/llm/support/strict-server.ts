/** What the strictest servers refuse a conversation for. */

export interface SentMessage {
  role: string;
  content: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  [field: string]: unknown;
}

const isObject = (json: string): boolean => {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

/** The first thing a strict server would refuse these messages for, or nothing. */
export function problemOf(messages: SentMessage[], alternating = false): string | undefined {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return 'a call id is used twice';
  const bad = calls.find(({ function: made }) => !isObject(made.arguments) || !/^[\w-]{1,64}$/.test(made.name));
  if (bad) return `the call ${JSON.stringify(bad)}`;
  return pairing(messages) ?? order(messages, alternating);
}

function pairing(messages: SentMessage[]): string | undefined {
  let open: string[] = [];
  for (const message of [...messages, { role: 'end', content: 'end' } as SentMessage]) {
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? '')) return `a result without its call: ${message.tool_call_id}`;
      open = open.filter((one) => one !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return `no result for ${open.join()}`;
    open = message.tool_calls?.map((one) => one.id) ?? [];
    if (open.includes('')) return 'an empty call id';
    if (message.tool_calls?.length === 0) return 'an empty list of calls';
    if (open.length === 0 && !message.content) return `an empty ${message.role} message`;
  }
  return undefined;
}

function order(messages: SentMessage[], alternating: boolean): string | undefined {
  const roles = messages.map(({ role }) => role);
  if (roles.lastIndexOf('system') > 0) return 'a system message is not first';
  const pairs = roles.slice(1).map((role, at) => `${roles[at]} ${role}`);
  const refused = ['user user', 'assistant assistant', ...(alternating ? ['tool user'] : [])];
  return pairs.find((pair) => refused.includes(pair));
}
