/** A web page as text that a model can read. */

export interface Readable {
  title?: string;
  text: string;
}

/** The main content of an HTML page as Markdown; where there is none to be found, all of its body. */
export async function readablePage(html: string, url: URL): Promise<Readable> {
  const [{ parseHTML }, { Readability }, { default: Turndown }] = await Promise.all([
    import('linkedom'),
    import('@mozilla/readability'),
    import('turndown'),
  ]);
  const { document } = parseHTML(html);
  const title = document.querySelector('title')?.textContent?.trim();
  for (const element of document.querySelectorAll('script, style, noscript, template, iframe, svg')) element.remove();
  for (const link of document.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href') ?? '';
    if (URL.canParse(href, url)) link.setAttribute('href', new URL(href, url).href);
  }
  const body = document.body?.innerHTML ?? html;
  const article = new Readability(document as unknown as Document, { charThreshold: 200 }).parse();
  const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  const { document: part } = parseHTML(`<!doctype html><html><body>${article?.content ?? body}</body></html>`);
  const text = turndown
    .turndown(part.body as unknown as HTMLElement)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { ...(title && { title }), text };
}
