import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Notice } from '../design/states.tsx';
import { assetsText } from '../vault/money.ts';
import type { Source, SourceChange } from './types.ts';

type Props = {
  vault: Vault;
  sources: readonly Source[];
  onPrepare: (change: SourceChange) => void;
  onClose: () => void;
};

const isFunded = ({ assets }: Source): boolean => assets !== '0';
const heldIn = (vault: Vault, { name, assets }: Source): string =>
  `${name}: ${assets === null ? 'not known, its oracle does not answer' : assetsText(vault, assets)}`;

/** Says what a removal does to the price before anything is prepared. */
export function RemoveDialog({ vault, sources, onPrepare, onClose }: Props) {
  const funded = sources.filter(isFunded);
  return (
    <Dialog
      title={sources.length === 1 ? `Remove ${sources[0]?.name}` : `Remove ${sources.length} sources`}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        {funded.length === 0 ? (
          <p>The vault holds nothing there. The source leaves the list; it can be added again.</p>
        ) : (
          <Notice tone="critical" title="What the vault holds there no longer counts">
            <p>
              A removal moves no money. The holding stays in the source but leaves the price per share, which falls at
              the next report. Take the money out first unless it is lost.
            </p>
            <ul className="list-disc pt-2 pl-4">
              {funded.map((source) => (
                <li key={source.source_address}>{heldIn(vault, source)}</li>
              ))}
            </ul>
          </Notice>
        )}
        {sources.length === 1 ? null : (
          <ul className="list-disc pl-4 text-13">
            {sources.map(({ source_address: address, name }) => (
              <li key={address}>{name}</li>
            ))}
          </ul>
        )}
        <span className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>Keep</Button>
          <Button
            look="danger"
            onPress={() =>
              onPrepare({
                kind: 'remove_yield_sources',
                args: { sources: sources.map(({ source_address }) => ({ source_address })) },
              })
            }
          >
            Prepare removal
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
