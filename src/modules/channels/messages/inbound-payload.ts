import type { Attachment } from '../platforms/inbound-update.js';

/** `payload` of an inbound row of kind `message`, as JSON. Its `external_id` is the platform's id of the message. */
export interface MessagePayload {
  is_private: boolean;
  attachments: readonly Attachment[];
  /** Milliseconds since 1970 by the platform; null where it did not say. */
  occurred_at: number | null;
}

/** `payload` of an inbound row of kind `press`, as JSON. Its `external_id` is the platform's id of the message that holds the button; null where it is not known. */
export interface PressPayload {
  is_private: boolean;
  /** For `answerPress`. */
  press_id: string;
  /** What the button was sent with; not trusted. */
  data: string;
}
