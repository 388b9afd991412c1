import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A piece of an attachment's bytes. */
@Entity('attachment_piece')
export class AttachmentPiece {
  @PrimaryColumn('text')
  attachment_id: string;

  /** From 0. */
  @PrimaryColumn('integer')
  piece_no: number;

  /** Base64, because both databases store text alike. */
  @Column('text')
  data: string;
}
