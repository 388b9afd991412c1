/**
 * Plain text with aligned columns: the first to the left, the others to the right.
 * @param {readonly string[]} heads @param {readonly (readonly string[])[]} rows @returns {string}
 */
export function table(heads, rows) {
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => displayWidth(line[column]))));
  const isText = heads.map((_, column) => rows.some((row) => /^[^\d-]/.test(row[column])));
  const print = (line) =>
    line
      .map((cell, column) => {
        const gap = ' '.repeat(widths[column] - displayWidth(cell));
        return isText[column] ? cell + gap : gap + cell;
      })
      .join('  ')
      .trimEnd();
  return [print(heads), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(print)].join('\n');
}

/** @param {number | undefined} value @param {number} [digits] decimals @returns {string} `-` for no figure */
export function figure(value, digits = 0) {
  if (value === undefined || Number.isNaN(value)) return '-';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** @param {number | undefined} ms @returns {string} with as many digits as are meaningful */
export function milliseconds(ms) {
  return figure(ms, ms >= 100 ? 0 : ms >= 10 ? 1 : 2);
}

function displayWidth(text) {
  return [...text].length;
}
