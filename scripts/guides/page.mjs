/** The page around a document. Its stylesheet and script are separate files, because the server's policy allows nothing else. */
export function guidePage({ file, url, title, heading, sections, body }, guides) {
  const isGuide = guides.some((guide) => guide.file === file);
  const next = isGuide ? guides[guides.findIndex((guide) => guide.file === file) + 1] : undefined;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Waystation</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/docs/guides/assets/guides.css">
<script src="/docs/guides/assets/theme.js"></script>
</head>
<body>
<header>
<a class="brand" href="/docs/guides/">${BRAND} Waystation</a>
<nav aria-label="Places"><a class="all" href="#guides">Guides</a> <a href="/docs">API</a> <a href="/console/">Console</a></nav>
</header>
<div class="columns">
<main>
<h1>${heading}</h1>
${contentsOf(sections)}
<article>
${body}
${next ? `<p class="next">Next: <a href="${next.url}">${escaped(next.title)}</a></p>` : ''}
</article>
</main>
<nav id="guides" aria-label="Guides">
<h2>Guides</h2>
<ul>
${guides.map((guide) => listed(guide, url)).join('\n')}
</ul>
</nav>
</div>
</body>
</html>
`;
}

export function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const BRAND = `<svg viewBox="0 0 22 22" aria-hidden="true"><path class="track" d="M1 11h20"/><circle class="stop" cx="11" cy="11" r="5.5"/><circle class="signal" cx="11" cy="11" r="2"/></svg>`;

function contentsOf(sections) {
  if (sections.length < 2) return '';
  const items = sections.map(
    ({ id, heading }) => `<li><a href="#${id}">${heading.replaceAll(/<\/?a\b[^>]*>/g, '')}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>\n${items.join('\n')}\n</ul></nav>`;
}

function listed({ url, title }, current) {
  return `<li><a href="${url}"${url === current ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;
}
