import { dirname, join, normalize } from 'node:path';

/**
 * A page as it is read outside the repository: links to other files of it lead to the repository on GitHub, or are text where nobody
 * knows where that is. @param file - The page, relative to the repository.
 */
export const linksOut = (text: string, file: string, repository: string | undefined): string =>
  text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g, (_, words: string, path: string, heading = '') => {
    if (repository === undefined) return words;
    return `[${words}](${repository}/blob/main/${normalize(join(dirname(file), path))}${heading})`;
  });
