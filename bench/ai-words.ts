/**
 * Words of the fake model: each says when it left the model and which one it is, in letters, so that it is a plain word to
 * a search for numbers. The clock is the machine's monotonic one, the same in every process.
 */
const letters = 'bfghjkpqrst';
const base = letters.length;
const timeLetters = 10;
const indexLetters = 3;
const span = base ** timeLetters;

const nowMicros = (): number => Number((process.hrtime.bigint() / 1_000n) % BigInt(span));

function spelt(value: number, length: number): string {
  let left = value;
  let word = '';
  for (let at = 0; at < length; at += 1) {
    word = letters[left % base] + word;
    left = Math.floor(left / base);
  }
  return word;
}

const readWord = (word: string): number =>
  [...word].reduce((value, letter) => value * base + letters.indexOf(letter), 0);

/** The word with this number, leaving now. */
export const wordNow = (index: number): string => `w${spelt(nowMicros(), timeLetters)}z${spelt(index, indexLetters)}`;

export const wordPattern = new RegExp(`w([${letters}]{${timeLetters}})z([${letters}]{${indexLetters}})`, 'g');

export type Arrived = { index: number /** Since it left the model. */; ms: number };

/** What of a text are words of the model, read as it arrives. */
export function arrivedIn(text: string): Arrived[] {
  const now = nowMicros();
  return [...text.matchAll(wordPattern)].map(([, time = '', index = '']) => ({
    index: readWord(index),
    ms: ((now - readWord(time) + span) % span) / 1_000,
  }));
}
