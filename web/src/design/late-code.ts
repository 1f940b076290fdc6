/** Code that takes longer than this will most likely never arrive: the browser itself waits without an end. */
export const CODE_MS = 20_000;

/** In the words for a file that failed to load. */
export const neverCame = new TypeError('A dynamically imported module did not arrive.');

/** Fails as a file that failed to load does where the code is late; it may still arrive for who asks again. */
export async function inTime<T>(loading: Promise<T>): Promise<T> {
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    deadline = setTimeout(() => reject(neverCame), CODE_MS);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(deadline);
  }
}
