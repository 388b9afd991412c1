import { styleOf, type Style } from './style.js';
import { truncate, padEnd, textWidth, wrapLines } from './text-width.js';

export interface Column {
  title: string;
  /** Screen columns; longer cells are cut. */
  max?: number;
  /** Screen columns to which this column may shrink if the table is too wide; absent if it must not shrink. */
  min?: number;
  paint?: (cell: string, style: Style) => string;
}

export interface TableOptions {
  /** Screen width in columns; undefined for no limit. */
  width?: number;
  isColoured?: boolean;
  /** Whether the table may exceed the screen. Otherwise each row of a table that does not fit becomes a paragraph below its first cell. */
  canOverflow?: boolean;
}

const GAP = '  ';

/** Formats rows as a table with a heading. */
export function table(
  columns: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
  { width = Infinity, isColoured, canOverflow }: TableOptions = {},
): string {
  const all = columns.map((column): Column => (typeof column === 'string' ? { title: column } : column));
  const cells = rows.map((row) => row.map((cell, at) => truncate(cell, all[at]!.max ?? Infinity)));
  const widths = all.map(({ title }, at) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[at]!)), textWidth(title)),
  );
  const tooWide = () => widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length) - width;
  const shrinking = all.findIndex(({ min }) => min !== undefined);
  if (tooWide() > 0 && shrinking >= 0)
    widths[shrinking] = Math.max(all[shrinking]!.min!, widths[shrinking]! - tooWide());
  if (tooWide() > 0 && !canOverflow) return paragraphs(all, cells, width);
  const style = styleOf({ isColoured });
  const lineOf = (row: readonly string[], paint: (cell: string, at: number) => string) =>
    row
      .map((cell, at) => padEnd(paint(truncate(cell, widths[at]!), at), widths[at]!))
      .join(GAP)
      .trimEnd();
  const heading = lineOf(
    all.map(({ title }) => title),
    (title) => title,
  );
  const painted = (cell: string, at: number) => all[at]!.paint?.(cell, style) ?? cell;
  return [style('dim', heading), ...cells.map((row) => lineOf(row, painted))].join('\n');
}

function paragraphs(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string {
  return rows
    .map(([first, ...cells]) => {
      const facts = cells.map((cell, index) => `${columns[index + 1]!.title.toLowerCase()} ${cell}`).join(', ');
      return [first, ...[...wrapLines(facts, width - GAP.length)].map((line) => GAP + line)].join('\n');
    })
    .join('\n');
}
