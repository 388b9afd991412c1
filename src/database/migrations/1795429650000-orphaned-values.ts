import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Values named by checkpoints that were deleted before such values were noted. Finding them would take long, so all values are noted: the
 * next deletion of checkpoints in a thread keeps those that are still named. Reads only keys.
 */
export class OrphanedValues1795429650000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO state_leftover(thread_pk, agent, digest, mark)
       SELECT thread_pk, agent, digest, 'unknown' FROM state_value WHERE 1 = 1 ON CONFLICT DO NOTHING`,
    );
  }

  /** Notes of named values do no harm. */
  async down(): Promise<void> {}
}
