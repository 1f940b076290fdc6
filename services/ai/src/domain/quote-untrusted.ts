/** Characters that show nothing and change how the rest is read: controls, text direction, joiners, tags. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu;

/** A text without characters that nobody sees; line ends and tabs stay. */
export const visible = (text: string): string =>
  allVisible.test(text) ? text : text.replaceAll(invisible, (each) => (each === '\n' || each === '\t' ? each : ''));
const allVisible = /^[ -~\n\t]*$/;

/** Taking the boundary out can put two halves of it together, so it is done until none is left. */
function without(boundary: string, text: string): string {
  const left = visible(text).replaceAll(boundary, '');
  return left.includes(boundary) ? without(boundary, left) : left;
}

/** Every string of a value, keys as well, without what is not seen and without the boundary. */
function cleaned(value: unknown, boundary: string): unknown {
  if (typeof value === 'string') return without(boundary, value);
  if (Array.isArray(value)) return value.map((each) => cleaned(each, boundary));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [without(boundary, key), cleaned(each, boundary)]),
  );
}

const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', '`': '\\u0060' };

/**
 * Puts text of others into a block that a model must never obey. It is JSON, so that no line of it can end the block, and
 * without what a model could take for markup.
 * @param boundary - Random and new for each call: the author of the text cannot know it.
 */
export function quoteUntrusted(what: string, content: unknown, boundary: string): string {
  const json = JSON.stringify(cleaned(content, boundary)).replaceAll(/[<>&`]/g, (each) => escapes[each] ?? '');
  return `<<<${boundary} ${what}\n${json}\n${boundary}>>>`;
}
