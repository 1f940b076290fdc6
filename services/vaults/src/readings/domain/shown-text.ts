/** As many characters of a name are shown. */
const MOST_CHARACTERS = 64;
/** So much of it is looked at: a contract may answer with a megabyte. */
const MOST_READ = 1_000;
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Text that a contract wrote, as it may be shown: in one line, without control, invisible and text-direction characters, shortened.
 * @returns null where nothing visible is left.
 */
export function shownText(text: string): string | null {
  const visible = text.slice(0, MOST_READ).normalize('NFC').replaceAll(/\s+/gu, ' ').replaceAll(invisible, '').trim();
  const characters = [...visible];
  if (characters.length === 0) return null;
  if (characters.length <= MOST_CHARACTERS) return visible;
  return `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`;
}
