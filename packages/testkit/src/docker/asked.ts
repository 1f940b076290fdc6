/** Whether the tests shall run against real images: `TESTCONTAINERS=1`. */
export const dockerAsked = (env: { TESTCONTAINERS?: string | undefined } = process.env): boolean =>
  env.TESTCONTAINERS === '1';

/** Why no container can be started here; undefined when one can. */
export async function dockerFault(): Promise<string | undefined> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
    return undefined;
  } catch (error) {
    return `TESTCONTAINERS=1 asks for real servers, and no Docker answers here (${(error as Error).message}).`;
  }
}
