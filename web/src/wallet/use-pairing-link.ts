import { useEffect, useState } from 'react';
import type { Connector } from 'wagmi';

/** A message of a connector, as wagmi passes it on. */
type Message = { type: string; data?: unknown };

/** The link by which a wallet pairs with the page, once the connector has one. */
export function usePairingLink(connector: Connector | undefined) {
  const [link, setLink] = useState<string>();
  const emitter = connector?.emitter;
  useEffect(() => {
    const onMessage = ({ type, data }: Message) => {
      if (type === 'display_uri' && typeof data === 'string') setLink(data);
    };
    emitter?.on('message', onMessage);
    return () => emitter?.off('message', onMessage);
  }, [emitter]);
  return { link, forget: () => setLink(undefined) };
}
