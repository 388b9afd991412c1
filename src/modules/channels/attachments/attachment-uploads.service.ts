import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { invalidField } from '../../../common/domain-error.js';
import { newId } from '../../../common/ids.js';
import { Logger } from '../../../common/logger.js';
import type { Principal } from '../../../common/principal.js';
import { ChannelsConfig } from '../../../config/channels.config.js';
import { AttachmentBytesRepository, PIECE_BYTES } from './attachment-bytes.repository.js';
import {
  attachmentsFull,
  digestMismatch,
  fileTooLarge,
  threadHasNoChat,
  transfersFull,
  uploadGone,
} from './attachment.errors.js';
import { maySpeakIn } from './thread-access.js';

const MAX_UPLOADS = 16;

/** A file that an agent uploads. */
export interface FileUpload {
  threadId: string;
  /** As given by the caller. */
  digest: string;
  /** The announced size; null if none was given. */
  sizeBytes: number | null;
  bytes: AsyncGenerator<Buffer>;
}

/** Receives the files that agents send to chats. */
@Injectable()
export class AttachmentUploadsService {
  private uploads = 0;

  constructor(
    private readonly repository: AttachmentBytesRepository,
    private readonly config: ChannelsConfig,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Stores a file durably, using little memory. A file that the thread already has is compared, and then counts as new.
   * @returns whether it is new
   * @throws DomainError `invalid`; `conflict` if the thread is not a chat of an agent that the caller may speak for; `too_large`,
   * `unprocessable` if the bytes do not match the digest, `storage_full`, `unavailable`; errors of reading the body
   */
  async store(upload: FileUpload, caller: Principal): Promise<boolean> {
    const { threadId, digest, sizeBytes } = upload;
    if (!/^[0-9a-f]{64}$/.test(digest))
      throw invalidField('attachment_id', 'must be a SHA-256: 64 lower-case hexadecimal digits');
    const agent = await this.repository.findAgentOfChat(threadId);
    if (agent === null || !maySpeakIn(caller, threadId, agent)) throw threadHasNoChat();
    const { sentFileMaxBytes: maxBytes } = this.config;
    if ((sizeBytes ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
    if (this.uploads >= MAX_UPLOADS) throw transfersFull();
    this.uploads += 1;
    try {
      const isThere = (await this.repository.find(threadId, digest)) !== null;
      return isThere ? await this.compare(upload) : await this.take(upload);
    } finally {
      this.uploads -= 1;
    }
  }

  private async compare({ threadId, digest, bytes }: FileUpload): Promise<boolean> {
    await this.digested(bytes, digest, () => Promise.resolve(true));
    if (!(await this.repository.touch(threadId, digest, this.clock.nowMs()))) throw uploadGone();
    return false;
  }

  private async take({ threadId, digest, sizeBytes, bytes }: FileUpload): Promise<boolean> {
    const id = newId();
    const { sentFileMaxBytes, sentFilesMaxBytes } = this.config;
    const hasRoom = await this.repository.begin(
      id,
      sizeBytes ?? sentFileMaxBytes,
      sentFilesMaxBytes,
      this.clock.nowMs(),
    );
    if (!hasRoom) throw attachmentsFull(sentFilesMaxBytes);
    let isNew = false;
    try {
      const keep = (piece: Buffer, pieceNo: number) => this.repository.addPiece(id, pieceNo, piece);
      const length = await this.digested(bytes, digest, keep);
      const end = await this.repository.finish(id, { threadId, digest, sizeBytes: length }, this.clock.nowMs());
      if (end === 'gone') throw uploadGone();
      isNew = end === 'stored';
      return isNew;
    } finally {
      if (!isNew) await this.discard(id);
    }
  }

  /**
   * Passes the bytes on in pieces.
   * @param keep returns false if the file is gone meanwhile
   * @returns the number of bytes
   * @throws DomainError `too_large`; `unprocessable` if the digest differs; `unavailable`
   */
  private async digested(
    bytes: AsyncGenerator<Buffer>,
    digest: string,
    keep: (piece: Buffer, pieceNo: number) => Promise<boolean>,
  ): Promise<number> {
    const { sentFileMaxBytes: maxBytes } = this.config;
    const hash = createHash('sha256');
    let length = 0;
    let pieceNo = 0;
    for await (const piece of piecesOf(bytes)) {
      length += piece.length;
      if (length > maxBytes) throw fileTooLarge(maxBytes);
      hash.update(piece);
      if (!(await keep(piece, pieceNo++))) throw uploadGone();
    }
    if (hash.digest('hex') !== digest) throw digestMismatch();
    return length;
  }

  /** If this fails, cleanup finds the upload by its age. */
  private async discard(id: string): Promise<void> {
    await this.repository
      .discard(id)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'a file was not removed; it will be later'));
  }
}

/** Pieces of one size, except the last. Each is valid until the next is requested, which reuses its memory. */
async function* piecesOf(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  let length = 0;
  for await (const chunk of bytes) {
    for (let from = 0; from < chunk.length;) {
      const copied = chunk.copy(piece, length, from);
      from += copied;
      length += copied;
      if (length < PIECE_BYTES) continue;
      yield piece;
      length = 0;
    }
  }
  if (length > 0) yield piece.subarray(0, length);
}
