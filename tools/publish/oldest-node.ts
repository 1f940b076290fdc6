/** The oldest Node that runs what is published: `Promise.withResolvers` and `Map.groupBy` are in it, and its dependencies ask for it. */
export const oldestNode = '22.12';

/** What a program says on an older Node; undefined on one that runs it. @param running - Such as 22.12.0. */
export function tooOld(running: string): string | undefined {
  const [major = 0, minor = 0] = running.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = oldestNode.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  return `castellan needs Node ${oldestNode} or newer, and this is ${running}.\n`;
}
