import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

const SUMS = new Table({
  name: 'run_sum',
  columns: [
    { name: 'period', type: 'bigint', isPrimary: true },
    { name: 'agent_id', type: 'text', isPrimary: true },
    { name: 'model', type: 'text', isPrimary: true },
    { name: 'part', type: 'integer', isPrimary: true },
    { name: 'runs', type: 'integer' },
    { name: 'completed', type: 'integer' },
    { name: 'failed', type: 'integer' },
    { name: 'tokens', type: 'bigint' },
    { name: 'cost_usd', type: 'double precision' },
  ],
  withoutRowid: true,
});

const PERIOD_MS = 900_000;

/**
 * Sums over runs by each attempt's start time, and that time. Computing the first sums reads every checkpoint. An earlier attempt counts
 * with its last checkpoint.
 */
export class RunSums1795362686065 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "run" ADD COLUMN "attempt_started_at" bigint`);
    await runner.createTable(SUMS);
    const started = `CASE WHEN c.attempt = r.attempt THEN r.started_at ELSE c.started END`;
    const status = `CASE WHEN c.attempt = r.attempt THEN r.status ELSE c.status END`;
    const count = (statuses: string) => `SUM(CASE WHEN ${status} IN (${statuses}) THEN 1 ELSE 0 END)`;
    await runner.query(
      `INSERT INTO run_sum(period, agent_id, model, part, runs, completed, failed, tokens, cost_usd)
       SELECT ${started} - ${started} % ${PERIOD_MS} AS period, r.agent_id, c.model, 0, COUNT(*),
         ${count("'completed'")}, ${count("'error', 'budget_exceeded'")}, SUM(c.tokens_used), SUM(c.run_cost_usd)
       FROM (SELECT thread_pk, run_no, attempt, status, model, tokens_used, run_cost_usd,
           MIN(created_at) OVER (PARTITION BY thread_pk, run_no, attempt) AS started,
           ROW_NUMBER() OVER (PARTITION BY thread_pk, run_no, attempt ORDER BY step_index DESC) AS place
         FROM checkpoint WHERE is_current) c
       JOIN run r ON r.thread_pk = c.thread_pk AND r.run_no = c.run_no
       WHERE c.place = 1 GROUP BY 1, 2, 3`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(SUMS);
    await runner.query(`ALTER TABLE "run" DROP COLUMN "attempt_started_at"`);
  }
}
