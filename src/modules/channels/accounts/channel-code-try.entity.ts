import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Wrong tries of one person in one chat at the code of a channel that is pending; ids are empty for operators. */
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
