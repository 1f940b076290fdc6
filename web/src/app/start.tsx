import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { AppConfig } from '../client/config.ts';
import { Loading } from '../design/mark.tsx';
import { Failure } from '../design/states.tsx';

type Props = {
  /** How the server is set up, where the page came with it. */
  known?: AppConfig | undefined;
  load: () => Promise<AppConfig>;
  build: (config: AppConfig) => ReactNode;
};

/** Reads how the server is set up, then shows the application. */
export function Start({ known, load, build }: Props) {
  const [state, setState] = useState<{ app?: ReactNode; error?: unknown }>(() => (known ? { app: build(known) } : {}));
  const start = useCallback(() => {
    setState({});
    load().then(
      (config) => setState({ app: build(config) }),
      (error: unknown) => setState({ error }),
    );
  }, [load, build]);
  useEffect(() => {
    if (known === undefined) start();
  }, [known, start]);
  if (state.app !== undefined) return state.app;
  return (
    <main className="mx-auto max-w-xl p-6">
      {state.error === undefined ? (
        <Loading what="Castellan" />
      ) : (
        <Failure error={state.error} title="Castellan could not start" retry={start} />
      )}
    </main>
  );
}
