/** The product's own code, by its path in the repository: not its tests, nor what only they use. */
export const isMeasured = (path: string): boolean =>
  /^(packages\/[^/]+|services\/[^/]+|web)\/src\/.+\.tsx?$/.test(path) && !/\.(test|fixture|d)\.tsx?$/.test(path);

/** `packages/chain`, `services/users`, `web`. */
export const packageOf = (path: string): string => path.split('/src/')[0] ?? path;
