import type { AppError } from '@castellan/contracts';
import type { ErrorMessage } from './connection-writer.ts';

const ours = 'Something failed on our side. Try again.';

/** An error as a client gets it. */
export const errorMessageOf = (
  { code, message, data }: AppError,
  about: { conversationId?: string | undefined; messageId?: string | undefined } = {},
): ErrorMessage => ({
  code,
  detail: code === 'INTERNAL' ? ours : message,
  conversation_id: about.conversationId ?? null,
  message_id: about.messageId ?? null,
  retry_after_seconds: data?.retry_after_seconds ?? null,
});
