const KEY = 'castellan_recent_commands';
const MOST = 6;

/** Ids of the commands that were used last, the latest first; kept in this browser. */
export function recentCommands(): string[] {
  try {
    return localStorage.getItem(KEY)?.split('\n') ?? [];
  } catch {
    return [];
  }
}

export function noteCommand(id: string) {
  try {
    const before = recentCommands().filter((each) => each !== id);
    localStorage.setItem(KEY, [id, ...before].slice(0, MOST).join('\n'));
  } catch {
    // Where nothing may be stored there are no recent ones.
  }
}
