/** What is known of a process when a file changes. */
export type Watched = {
  readonly name: string;
  /** Absolute paths of the project's own files that the process has imported so far. */
  readonly modules: ReadonlySet<string>;
  /** It does not run: it failed before it was ready. */
  readonly isDown: boolean;
};

/**
 * Which processes a change concerns, in the given order: those that imported one of the files, and those that are down,
 * because a process that failed while it loaded could not report everything it would have imported.
 */
export const affectedBy = (changed: readonly string[], processes: readonly Watched[]): string[] =>
  processes
    .filter(({ modules, isDown }) => isDown || changed.some((file) => modules.has(file)))
    .map(({ name }) => name);
