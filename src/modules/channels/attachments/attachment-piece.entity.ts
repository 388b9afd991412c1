import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A part of the bytes of an attachment. */
@Entity('attachment_piece')
export class AttachmentPiece {
  @PrimaryColumn('text')
  attachment_id: string;

  /** From 0. */
  @PrimaryColumn('integer')
  piece_no: number;

  /** Base64: both databases hold text alike. */
  @Column('text')
  data: string;
}
