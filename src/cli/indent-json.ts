const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** JSON over several lines, two spaces a level, with every value exactly as it was written: JSON.stringify would round large numbers. */
export function indentJson(json: string): string {
  let [text, level] = ['', 0];
  const tokens = json.match(TOKEN) ?? [];
  tokens.forEach((token, index) => {
    const isEmpty = '{['.includes(token) && '}]'.includes(tokens[index + 1] ?? '');
    const closesEmpty = '}]'.includes(token) && '{['.includes(tokens[index - 1] ?? ' ');
    if ('}]'.includes(token) && !closesEmpty) text += lineAt((level -= 1));
    text += token;
    if (token === ':') text += ' ';
    if (token === ',') text += lineAt(level);
    if ('{['.includes(token) && !isEmpty) text += lineAt((level += 1));
  });
  return text;
}

function lineAt(level: number): string {
  return `\n${'  '.repeat(level)}`;
}
