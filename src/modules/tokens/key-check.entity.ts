import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row: identifies the machine secret of this database without revealing it. */
@Entity('key_check')
export class KeyCheck {
  /** Always 1. */
  @PrimaryColumn('integer')
  id: number;

  /** HMAC-SHA-256 of a constant with the secret, in hex. */
  @Column('text')
  digest: string;
}
