import { AddressTag } from '../design/address-tag.tsx';
import { Notice } from '../design/states.tsx';
import { SentElsewhere } from './sent-elsewhere.tsx';

type Props = {
  /** What the wallet answered: the hash that its owners sign. */
  proposal: string;
  onSent: (hash: string) => void;
};

/** The call waits in the wallet for the signatures of its owners: nothing is on the chain yet. */
export const Proposed = ({ proposal, onSent }: Props) => (
  <div className="flex flex-col gap-3">
    <Notice tone="info" title="Proposed in the wallet, not on the chain yet">
      <p>
        Its owners sign and execute it there. The page follows the transaction as soon as it learns of it; you can also
        enter its hash. Compare this hash with what the owners sign.
      </p>
      <AddressTag value={proposal} what="hash of the proposal" whole />
    </Notice>
    <SentElsewhere onSent={onSent} />
  </div>
);
