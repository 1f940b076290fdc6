import { AppError, type ErrorCode, type FieldError, isErrorCode, type Route, takesFields } from '@castellan/contracts';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { type Selection, selectionOf } from './sparse-fields.ts';

type Part = 'params' | 'query' | 'body';
type Parts = { params: Record<string, unknown>; query: Record<string, unknown>; body: Record<string, unknown> };
export type RawParts = { params: unknown; query: unknown; body: unknown };

type Fault = FieldError & { code: ErrorCode };

/** Names under which an address travels. */
const addressField = /(^|_)(address|wallet)$/;

/**
 * A schema may name the code of its own fault. The address schema says by its kind of fault what is wrong: a pattern that
 * does not fit, or a failed checksum.
 */
const codeOf = (issue: z.core.$ZodIssue): ErrorCode => {
  if (issue.code === 'custom' && isErrorCode(issue.params?.code)) return issue.params.code;
  const field = issue.path.findLast((step) => typeof step === 'string') ?? '';
  if (!addressField.test(field)) return 'VALIDATION_FAILED';
  if (issue.code === 'invalid_format') return 'ADDRESS_MALFORMED';
  return issue.code === 'custom' ? 'ADDRESS_CHECKSUM' : 'VALIDATION_FAILED';
};

/** Faults beyond these are counted only; they are reported once these are mended. */
const mostFaults = 20;
/** Longer than any name of the API. Keys are the caller's: named whole, one of a megabyte would come back with every fault below it. */
const longestStep = 100;
const longestPath = 500;

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;

const pathOf = (part: Part, steps: readonly PropertyKey[]): string =>
  cut([part, ...steps].map((step) => cut(String(step), longestStep)).join('.'), longestPath);

/** The first faults, and how many more there are. */
type Faults = { named: Fault[]; more: number };

function faultsOf(part: Part, error: z.ZodError): Faults {
  const faults = new Map<string, Fault>();
  let more = 0;
  for (const issue of error.issues) {
    const fields = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const steps of fields) {
      const path = pathOf(part, steps);
      const message = issue.code === 'unrecognized_keys' ? 'is not a parameter of this route' : issue.message;
      // The first fault of a field says what is wrong; the next ones follow from it.
      if (faults.has(path)) continue;
      if (faults.size < mostFaults) faults.set(path, { path, message, code: codeOf(issue) });
      else more += 1;
    }
  }
  return { named: [...faults.values()], more };
}

function refuse({ named, more }: Faults): never {
  const first = named[0]?.code ?? 'VALIDATION_FAILED';
  const code = named.every((fault) => fault.code === first) ? first : 'VALIDATION_FAILED';
  const errors = named.slice(0, mostFaults).map(({ path, message }) => ({ path, message }));
  const others = named.length - errors.length + more;
  const places = errors.map(({ path }) => path).join(', ');
  throw new AppError(code, `The request is malformed at ${places}${others > 0 ? ` and ${others} more` : ''}.`, {
    data: { errors },
  });
}

/** Line breaks and tabs belong into a text of several lines, which only a body holds. */
const controlInBody = /(?![\t\n\r])\p{Cc}/u;
const controlInAddress = /\p{Cc}/u;
/** Far beyond any shape of the API, a tree of rules included; recursion over what is let in ends here. */
const mostDepth = 100;

/** Where a value stands: its key, and the place of what holds it. A list of steps would cost the square of a body's depth. */
type Place = { key: string; within: Place | undefined; depth: number };

function stepsTo(place: Place | undefined): string[] {
  const steps: string[] = [];
  for (let at = place; at; at = at.within) steps.push(at.key);
  return steps.reverse();
}

/**
 * What no field has a use for: control characters, keys included, on which stores and regular expressions break, and nesting so
 * deep that recursion over it runs out of stack.
 */
function hostileFaults(part: Part, value: unknown): Fault[] {
  const control = part === 'body' ? controlInBody : controlInAddress;
  const faults: Fault[] = [];
  const pending: { place: Place | undefined; value: unknown }[] = [{ place: undefined, value }];
  for (let item = pending.pop(); item; item = pending.pop()) {
    const { place, value: each } = item;
    if ((place?.depth ?? 0) > mostDepth)
      return [{ path: part, message: `must not nest deeper than ${mostDepth}`, code: 'VALIDATION_FAILED' }];
    if (control.test(place?.key ?? '') || (typeof each === 'string' && control.test(each)))
      faults.push({
        path: printable(pathOf(part, stepsTo(place))),
        message: 'must not hold control characters',
        code: 'VALIDATION_FAILED',
      });
    else if (typeof each === 'object' && each !== null)
      for (const [key, inner] of Object.entries(each))
        pending.push({ place: { key, within: place, depth: (place?.depth ?? 0) + 1 }, value: inner });
    if (faults.length === mostFaults) break;
  }
  return faults;
}

const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\u{fffd}');

/** Parses path, query and body by the route's schemas. @throws AppError naming every fault. */
export function parseParts(route: Route, raw: RawParts): Parts {
  const faults: Faults = { named: [], more: 0 };
  const read = (part: Part, schema: z.ZodType, value: unknown): Record<string, unknown> => {
    const hostile = hostileFaults(part, value);
    if (hostile.length > 0) {
      faults.named.push(...hostile);
      return {};
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data as Record<string, unknown>;
    const { named, more } = faultsOf(part, parsed.error);
    faults.named.push(...named);
    faults.more += more;
    return {};
  };
  const parts = {
    params: read('params', route.params, raw.params),
    query: read('query', route.query, raw.query),
    body: route.body ? read('body', route.body, raw.body) : {},
  };
  if (faults.named.length > 0) refuse(faults);
  return parts;
}

/** Where a field of an action's params came from. */
const partOf = (field: string, parts: Parts): Part => {
  if (field in parts.params) return 'params';
  return field in parts.query ? 'query' : 'body';
};

/** Params of the route's action. Rules over several fields live in the action's schema and are reported by the client's names. */
export function actionParams(route: Route, parts: Parts): unknown {
  const params = route.toParams(parts);
  const checked = route.action?.params.safeParse(params);
  if (!checked || checked.success) return params;
  const { issues } = checked.error;
  const named = issues.slice(0, mostFaults).map((issue) => ({
    path: pathOf(partOf(String(issue.path[0] ?? ''), parts), issue.path),
    message: issue.message,
    code: codeOf(issue),
  }));
  return refuse({ named, more: issues.length - named.length });
}

/** Params of a route's action, the query that they are made of, and what of the answer is sent: undefined for all of it. */
export type Input = {
  readonly params: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly selection: Selection | undefined;
};
type Asked = RawParts & { readonly url: string };

const rememberedInputs = 5_000;
const longestRemembered = 500;

/** Parses a request. `fields` is of no schema: it is about the answer, and the service never sees it. */
function readInput(route: Route, raw: RawParts): Input {
  const { fields, ...others } = raw.query as Record<string, unknown>;
  const isSparse = fields !== undefined && takesFields(route);
  const parts = parseParts(route, isSparse ? { ...raw, query: others } : raw);
  return {
    params: actionParams(route, parts),
    query: parts.query,
    selection: isSparse ? selectionOf(route, fields) : undefined,
  };
}

/**
 * Reads inputs of requests. That of a GET follows from its address alone, so an address that is asked for again, as all do who poll, is
 * not validated again.
 */
export function createInputReader(): (route: Route, asked: Asked) => Input {
  const known = new LRUCache<string, Input>({ max: rememberedInputs });
  return (route, { url, params, query, body }) => {
    const found = route.method === 'GET' ? known.get(url) : undefined;
    if (found) return found;
    const input = readInput(route, { params, query, body });
    if (route.method === 'GET' && url.length <= longestRemembered) known.set(url, input);
    return input;
  };
}
