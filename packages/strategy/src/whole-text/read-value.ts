import { nameAt } from '../units-and-names.ts';
import { type Faults, placeIn, type Value } from './lines.ts';
import type { Reading } from './reading.ts';
import { isAddress, type Objective, OPEN, objectives, type Parameter, token } from './written.ts';

/** What the settings of a text hold: sources, hooks, parameters, words. */

/** A field of a source, which is put behind a name to look it up as expressions do. */
const FIELD = '.amount';

/** The address of a source that is called by its name, or is written as an address; '' where it is left open. */
export function readSource(value: Value, { faults, vocabulary }: Reading): string {
  const { text } = value;
  if (text === OPEN) return '';
  if (isAddress(text)) return text;
  const named = nameAt(`${text}${FIELD}`, 0, vocabulary);
  const isWhole = named?.length === text.length + FIELD.length;
  if (named && named.fault === undefined && isWhole) return named.address;
  if (named?.fault && isWhole) {
    const { code, message, suggestion } = named.fault;
    faults.add(code, message, placeIn(value), suggestion?.slice(0, -FIELD.length));
    return '';
  }
  const message = `Write the name of a yield source, in double quotes where it is not made of plain words, or its address, or ${OPEN}.`;
  faults.add('UNKNOWN_NAME', message, placeIn(value));
  return '';
}

/** What a word stands for, or a text in quotes; undefined where the quotes cannot be read. */
export function tokenText(text: string): string | undefined {
  if (text === OPEN) return '';
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    // Quotes with something in them that JSON does not know.
    return undefined;
  }
}

const hookForm = new RegExp(`^(${token})[ \\t]+at[ \\t]+(${token})$`);

/** The hook: what is executed, and its address. */
export function readHook(value: Value, faults: Faults): { name: string; address: string } {
  const [, first, second] = hookForm.exec(value.text) ?? [];
  const name = first === undefined ? undefined : tokenText(first);
  const address = second === undefined ? undefined : tokenText(second);
  if (name !== undefined && address !== undefined) return { name, address };
  faults.add(
    'UNEXPECTED_TOKEN',
    'Write the name of the hook in quotes, and its address: "Deposit" at 0x….',
    placeIn(value),
  );
  return { name: '', address: '' };
}

/** One value of a parameter. */
export function readParameter(value: Value, faults: Faults): Parameter {
  try {
    const read: unknown = /^["\d\-tfn]/.test(value.text) ? JSON.parse(value.text) : undefined;
    if (read === null || typeof read === 'string' || typeof read === 'boolean') return read;
    if (typeof read === 'number' && Number.isFinite(read)) return read;
  } catch {
    // The fault is added below, as for any other value.
  }
  faults.add('UNEXPECTED_TOKEN', 'A parameter is a text in quotes, a number, true, false or null.', placeIn(value));
  return null;
}

/** What the execution aims at. */
export function readObjective(value: Value, faults: Faults): Objective {
  const found = Object.entries(objectives).find(([, words]) => words === value.text);
  if (found) return found[0] as Objective;
  const message = `The objective is one of: ${Object.values(objectives).join(', ')}.`;
  faults.add('UNEXPECTED_TOKEN', message, placeIn(value));
  return 'BALANCED';
}
