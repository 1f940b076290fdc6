import { useState } from 'react';
import { CHAT_KEY, chatWords } from '../chat/open.ts';
import { Dialog } from '../design/dialog.tsx';
import {
  actionKeys,
  areSinglesOn,
  keysText,
  keyText,
  setSingles,
  shortcuts,
  vaultPageKeys,
} from '../navigation/keys.ts';
import { openOverlay } from '../navigation/overlay.ts';
import { type VaultPageStep, vaultPages } from '../operate/vault-pages.ts';
import { vaultActions } from '../vault/vault-actions.ts';

/** The keys that work on every page, and those of charts. */
export default function Help() {
  const [isOn, setIsOn] = useState(areSinglesOn);
  const change = (next: boolean) => {
    setSingles(next);
    setIsOn(next);
  };
  return (
    <Dialog title="Keyboard shortcuts" isOpen onClose={() => openOverlay('none')}>
      <div className="flex flex-col gap-5">
        <Keys title="Everywhere" rows={Object.values(shortcuts).map(({ keys, words }) => [keys, words])} />
        <Keys title="On pages of a vault in Operate" rows={[[[CHAT_KEY], chatWords], ...pageKeys]} />
        <Keys title="On the open vault, or the one whose row has the focus" rows={actions} />
        <Keys title="In a chart" rows={chartKeys} />
        <label className="flex min-h-6 items-center gap-2 text-13">
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ target }) => change(target.checked)}
            className="size-4 accent-[var(--accent)]"
          />
          {`Listen to single keys; ${keysText(shortcuts.palette.keys)} always works`}
        </label>
      </div>
    </Dialog>
  );
}

type Row = readonly [keys: readonly string[], words: string];

const pageKeys: readonly Row[] = [
  [['g', vaultPageKeys.dashboard], 'Dashboard'],
  ...(Object.keys(vaultPages) as VaultPageStep[]).map(
    (step): Row => [['g', vaultPageKeys[step]], vaultPages[step].title],
  ),
];

const actions = vaultActions.map(({ id, name }): Row => [actionKeys(id), name]);

const chartKeys: readonly Row[] = [
  [['←', '→'], 'Move the crosshair'],
  [['+', '−'], 'Zoom in and out'],
  [['0'], 'Show the whole range'],
];

const Keys = ({ title, rows }: { title: string; rows: readonly Row[] }) => (
  <section className="flex flex-col gap-2">
    <h3 className="label-caps">{title}</h3>
    <dl className="flex flex-col divide-y rounded-control border">
      {rows.map(([keys, words]) => (
        <div key={words} className="flex min-h-9 items-center justify-between gap-4 px-3">
          <dt className="text-13">{words}</dt>
          <dd className="flex gap-1">
            {keys.map((key) => (
              <kbd
                key={key}
                className="grid h-6 min-w-6 place-items-center rounded border bg-raised px-1.5 font-mono text-12"
              >
                {keyText(key)}
              </kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);
