import type { Hex, PublicClient } from 'viem';
import { classifySendError, nodeText, type SendClass } from './send-errors.ts';

/** An answer to a signed transaction; `text` is in the node's words, empty when it took it. */
export type SendResult = { class: SendClass; text: string };

/** When every node refuses, the answer that decides most about what to do next comes first. */
const decisive: readonly SendClass[] = [
  'accepted',
  'nonce_too_low',
  'underpriced',
  'insufficient_funds',
  'fee_above_node_limit',
  'nonce_gap',
  'unknown',
  'unavailable',
  'fatal',
];

/** To every node; the first that takes it decides, the others are not waited for. Never rejects. */
export function sendToAll(nodes: readonly Pick<PublicClient, 'sendRawTransaction'>[], raw: Hex): Promise<SendResult> {
  return new Promise((resolve) => {
    const refusals: SendResult[] = [];
    const refuse = (result: SendResult) => {
      refusals.push(result);
      if (refusals.length < nodes.length) return;
      resolve(refusals.toSorted((a, b) => decisive.indexOf(a.class) - decisive.indexOf(b.class))[0] as SendResult);
    };
    for (const node of nodes) {
      node.sendRawTransaction({ serializedTransaction: raw }).then(
        () => resolve({ class: 'accepted', text: '' }),
        (error: unknown) => {
          const result = { class: classifySendError(error), text: nodeText(error) };
          if (result.class === 'accepted') resolve(result);
          else refuse(result);
        },
      );
    }
  });
}
