import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Values that a checkpoint named which went before such values were noted. Which they are would take long to find out, so all values are
 * noted: the next deletion of checkpoints in a thread looks which of its values are named, and keeps them. Only keys are read.
 */
export class OrphanedValues1795429650000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO state_leftover(thread_pk, agent, digest, mark)
       SELECT thread_pk, agent, digest, 'unknown' FROM state_value WHERE 1 = 1 ON CONFLICT DO NOTHING`,
    );
  }

  /** A note of a value that is named does no harm. */
  async down(): Promise<void> {}
}
