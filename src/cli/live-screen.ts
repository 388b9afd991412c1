/** The lower part of a terminal, which lines replace again and again. */
export class LiveScreen {
  private drawn: readonly string[] = [];

  constructor(private readonly output: NodeJS.WriteStream) {
    // Lines that another width breaks are more lines than were drawn.
    output.on('resize', () => {
      output.write('\u001b[2J\u001b[H');
      this.drawn = [];
    });
  }

  /** More lines than these less one do not stay on it. */
  get rows(): number {
    return this.output.rows;
  }

  /** @param lines none wider than the screen; they replace those of the last time */
  draw(lines: readonly string[]): void {
    if (lines.length === this.drawn.length && lines.every((line, at) => line === this.drawn[at])) return;
    const back = this.drawn.length === 0 ? '' : `\u001b[${this.drawn.length}A\r\u001b[0J`;
    this.output.write(back + lines.map((line) => `${line}\n`).join(''));
    this.drawn = lines;
  }
}
