import { AppError, type ErrorData, errorCodeOf, errorCodes } from '@castellan/contracts';
import { Errors } from 'moleculer';

type PlainError = {
  name: string;
  message: string;
  code?: unknown;
  type?: unknown;
  retryable?: unknown;
  data?: unknown;
};

/**
 * What crosses the bus of an error: our own keep code, message, data and retryable; anything else becomes a bare INTERNAL, so
 * that neither a stack nor the text of a library's error (which may name hosts) leaves its process.
 */
export class ErrorsOnBus extends Errors.Regenerator {
  override extractPlainError(error: Errors.PlainMoleculerError): Errors.PlainMoleculerError {
    const code = errorCodeOf(error);
    const nodeID = error.nodeID ?? '';
    if (code) {
      const { message, data } = error as { message: string; data?: ErrorData };
      const known = { name: 'AppError', message, type: code, retryable: errorCodes[code].retryable, nodeID };
      return { ...known, code: errorCodes[code].status, data } as Errors.PlainMoleculerError;
    }
    const { name, type } = error as unknown as PlainError;
    if (String(name).endsWith('Error') && type !== undefined && isTransportFault(error))
      return { ...super.extractPlainError(error, {}), stack: '' };
    const hidden = {
      name: 'AppError',
      message: 'Something failed on our side.',
      type: 'INTERNAL',
      retryable: false,
      nodeID,
    };
    return { ...hidden, code: 500, data: undefined } as unknown as Errors.PlainMoleculerError;
  }

  override restoreCustomError(plain: Errors.PlainMoleculerError): Errors.MoleculerError {
    const code = errorCodeOf(plain);
    // moleculer takes undefined as "not mine", which its types do not say.
    if (!code) return undefined as unknown as Errors.MoleculerError;
    const data = (plain as PlainError).data as ErrorData | undefined;
    return new AppError(code, plain.message, data ? { data } : {}) as unknown as Errors.MoleculerError;
  }
}

const transportFaults = [
  'SERVICE_NOT_FOUND',
  'SERVICE_NOT_AVAILABLE',
  'REQUEST_TIMEOUT',
  'REQUEST_SKIPPED',
  'QUEUE_FULL',
  'REQUEST_REJECTED',
];

/** True for the bus's own faults: nobody answers, too late, circuit open. */
export const isTransportFault = (error: unknown): boolean =>
  transportFaults.includes(String((error as { type?: unknown } | null)?.type));

/** Any error of a call as one of ours: the bus's own faults are SERVICE_UNAVAILABLE, the unknown INTERNAL. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = errorCodeOf(error);
  if (code) {
    const { message, data } = error as { message: string; data?: ErrorData };
    return new AppError(code, message, data ? { data, cause: error } : { cause: error });
  }
  if (isTransportFault(error)) {
    return new AppError('SERVICE_UNAVAILABLE', 'A part of the system does not answer. Try again shortly.', {
      data: { retry_after_seconds: 2 },
      cause: error,
    });
  }
  return new AppError('INTERNAL', 'Something failed on our side. Quote the request id.', { cause: error });
}
