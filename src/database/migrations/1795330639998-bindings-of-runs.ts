import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Which token a run's reports rely on, and the standing of its agent in the thread. Existing data counts as reported by unrestricted
 * tokens, as most of it was.
 */
export class BindingsOfRuns1795330639998 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    for (const column of RUN_COLUMNS) await runner.query(`ALTER TABLE "run" ADD COLUMN "${column}" text`);
    for (const column of AGENT_COLUMNS) {
      await runner.query(`ALTER TABLE "thread_agent" ADD COLUMN "${column}" integer NOT NULL DEFAULT 0`);
    }
    await runner.query(OWN_RUNS);
    await runner.query(PROGRESS);
    await this.replaceIndex(runner, false);
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.replaceIndex(runner, true);
    for (const column of AGENT_COLUMNS) await runner.query(`ALTER TABLE "thread_agent" DROP COLUMN "${column}"`);
    for (const column of RUN_COLUMNS) await runner.query(`ALTER TABLE "run" DROP COLUMN "${column}"`);
  }

  /** @param isUnique fails if tokens of different agents have used one trace id in one thread */
  private async replaceIndex(runner: QueryRunner, isUnique: boolean): Promise<void> {
    await runner.query(`DROP INDEX "run_by_trace"`);
    const columnNames = ['thread_pk', 'trace_id'];
    await runner.createIndex('run', new TableIndex({ name: 'run_by_trace', columnNames, isUnique }));
  }
}

const RUN_COLUMNS = ['began_by', 'parent_by', 'reported_by'];
const AGENT_COLUMNS = ['standing', 'own_run', 'progress_seq'];

/** The agent's own run that last made progress, otherwise its newest; standing 2 means that it has runs of its own in the thread. */
const OWN_RUNS = `
  UPDATE thread_agent SET
    standing = CASE WHEN EXISTS (SELECT 1 FROM run r WHERE r.thread_pk = thread_agent.thread_pk
      AND r.agent_id = thread_agent.agent_id AND NOT r.is_sub_agent) THEN 2 ELSE 0 END,
    own_run = COALESCE(
      (SELECT r.run_no FROM run r WHERE r.thread_pk = thread_agent.thread_pk
        AND r.run_no = thread_agent.latest_run AND r.agent_id = thread_agent.agent_id),
      (SELECT MAX(r.run_no) FROM run r WHERE r.thread_pk = thread_agent.thread_pk AND r.agent_id = thread_agent.agent_id),
      0)`;

/** An approximation: the number of the change that stored the run's latest checkpoint. */
const PROGRESS = `
  UPDATE thread_agent SET progress_seq = COALESCE(
    (SELECT c.seq FROM checkpoint c WHERE c.thread_pk = thread_agent.thread_pk AND c.run_no = thread_agent.own_run
      ORDER BY c.attempt DESC, c.step_index DESC LIMIT 1),
    0)
  WHERE own_run > 0`;
