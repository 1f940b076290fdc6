import { AppError, type ErrorData, errorCodeOf, errorCodes } from '@castellan/contracts';
import { Errors } from 'moleculer';
import { isInfrastructureFault, isTransportFault } from './infrastructure-fault.ts';

type PlainError = {
  name: string;
  message: string;
  code?: unknown;
  type?: unknown;
  retryable?: unknown;
  data?: unknown;
};

const unavailable = (cause?: unknown) =>
  new AppError('SERVICE_UNAVAILABLE', 'A part of the system does not answer. Try again shortly.', {
    data: { retry_after_seconds: 2 },
    cause,
  });
const internal = (message: string, cause?: unknown) => new AppError('INTERNAL', message, { cause });

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
    const hidden = isInfrastructureFault(error) ? unavailable() : internal('Something failed on our side.');
    const { code: hiddenCode, status: hiddenStatus, message, retryable, data } = hidden;
    const plain = { name: 'AppError', message, type: hiddenCode, retryable, nodeID, code: hiddenStatus, data };
    return plain as unknown as Errors.PlainMoleculerError;
  }

  override restoreCustomError(plain: Errors.PlainMoleculerError): Errors.MoleculerError {
    const code = errorCodeOf(plain);
    // moleculer takes undefined as "not mine", which its types do not say.
    if (!code) return undefined as unknown as Errors.MoleculerError;
    const data = (plain as PlainError).data as ErrorData | undefined;
    return new AppError(code, plain.message, data ? { data } : {}) as unknown as Errors.MoleculerError;
  }
}

/** Any error of a call as one of ours: what is away (bus, store, chain node) is SERVICE_UNAVAILABLE, the unknown INTERNAL. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = errorCodeOf(error);
  if (code) {
    const { message, data } = error as { message: string; data?: ErrorData };
    return new AppError(code, message, data ? { data, cause: error } : { cause: error });
  }
  if (isInfrastructureFault(error)) return unavailable(error);
  return internal('Something failed on our side. Quote the request id.', error);
}
