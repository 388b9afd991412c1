import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Wrong tries of one person in one chat at a channel's pending code; ids are empty for operators. */
@Entity('channel_code_try')
export class ChannelCodeTry {
  @PrimaryColumn('text')
  channel_id: string;

  @PrimaryColumn('text')
  chat_id: string;

  @PrimaryColumn('text')
  user_id: string;

  @Column('integer')
  tries: number;
}
