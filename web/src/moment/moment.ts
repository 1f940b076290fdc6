const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z$/;

/** The moment a URL names: canonical, absent, or not a time. */
export function momentOf(text: string | null): { at: string | undefined; isMalformed: boolean } {
  if (text === null) return { at: undefined, isMalformed: false };
  const time = ISO_UTC.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return { at: undefined, isMalformed: true };
  return { at: new Date(time).toISOString(), isMalformed: false };
}
