/**
 * The outcome of one promise.
 * @typedef {object} Finding
 * @property {string} scenario
 * @property {string} database
 * @property {string} promised
 * @property {string} seen
 * @property {'kept' | 'broken' | 'not tried'} outcome
 */

const MARKS = { kept: 'kept     ', broken: 'BROKEN   ', 'not tried': 'NOT TRIED' };

/** Collects what was promised, tried and seen, and prints it at once. */
export class Report {
  /** @type {Finding[]} */
  findings = [];
  /** @type {{scenario: string, database: string, title: string, tried: string[], seconds: number}[]} */
  trials = [];

  /** @param {{name: string, title: string}} scenario @param {string} database */
  begin(scenario, database) {
    this.trials.push({ scenario: scenario.name, database, title: scenario.title, tried: [], seconds: 0 });
    console.log(`\n${scenario.name} on ${database}: ${scenario.title}`);
  }

  /** @param {string} what was done, with its sizes */
  tried(what) {
    this.trials.at(-1).tried.push(what);
    console.log(`  tried     ${what}`);
  }

  /** @param {string} promised @param {Finding['outcome']} outcome @param {string} seen */
  note(promised, outcome, seen) {
    const { scenario, database } = this.trials.at(-1);
    this.findings.push({ scenario, database, promised, seen, outcome });
    console.log(`  ${MARKS[outcome]} ${promised}\n            ${seen}`);
  }

  /** @param {number} seconds */
  end(seconds) {
    this.trials.at(-1).seconds = seconds;
    console.log(`  took      ${seconds.toFixed(1)} s`);
  }

  count(outcome) {
    return this.findings.filter((finding) => finding.outcome === outcome).length;
  }

  /** Prints the summary: how many promises were kept, and each that was not. */
  print() {
    console.log(
      `\n${this.count('kept')} promises kept, ${this.count('broken')} broken, ${this.count('not tried')} not tried`,
    );
    for (const { outcome, scenario, database, promised, seen } of this.findings) {
      if (outcome !== 'kept')
        console.log(`  ${MARKS[outcome]} ${scenario} on ${database}: ${promised}\n            ${seen}`);
    }
  }
}
