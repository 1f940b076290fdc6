import { useRead } from '@castellan/react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Dialog } from '../design/dialog.tsx';
import { explain } from '../design/explain.ts';
import { Pill } from '../design/pill.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { Empty, Failure, RowSkeletons } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { formatCount } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useArrival } from '../navigation/use-arrival.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { useMerkleVault } from './hooks-state.ts';
import { knownAs } from './known-as.ts';
import { type Base, NewVersion } from './new-version.tsx';
import { type Config, type HookRow, mayConfigure, type Version } from './types.ts';

type Props = {
  shown: Shown;
  onChanged: () => void;
  /** Generates the tree of the active version. */
  onGenerate: () => Promise<unknown>;
};

const rowsOf = (config: Config | undefined): HookRow[] =>
  (config?.rows ?? []).map(({ hook_id, params }) => ({ hook_id, params }));

/** A version that goes on was made, but not all that follows was done. */
class Halted extends Error {}

const haltedAt = (title: string) => (cause: unknown) => {
  throw new Halted(title, { cause });
};

type Making = { rows: HookRow[]; note: string; over: number; goesOn: boolean };
type Ways = Pick<Props, 'onChanged' | 'onGenerate'> & { onMade: () => void };

function useConfigs({ vault }: Shown, { onChanged, onGenerate, onMade }: Ways) {
  const { api } = useApp();
  const { query, body, root, isSignedIn } = useMerkleVault({ vault });
  const versions = useQuery({
    queryKey: [...root, 'versions'],
    queryFn: () => api.merkleConfigVersions({ query: { ...query, limit: '50' } }),
    enabled: isSignedIn,
  });
  const latest = versions.data?.versions[0];
  const newest = useQuery({
    queryKey: [...root, 'config', latest?.id],
    queryFn: () => api.merkleConfig({ params: { id: latest?.id ?? '' } }),
    enabled: latest !== undefined,
  });
  const hooks = useRead(
    'registryHooks',
    { query: { chain_id: query.chain_id, is_active: 'true', limit: '500' } },
    { enabled: isSignedIn },
  );
  const putInForce = ({ version }: Pick<Version, 'version'>) => {
    const active_version = versions.data?.versions.find(({ is_active }) => is_active)?.version ?? null;
    return api.activateMerkleConfig({ body: { ...body, version, active_version } });
  };
  const activate = useMutation({
    mutationFn: putInForce,
    onError: (error) =>
      toast({ tone: 'critical', title: 'The version was not activated', detail: explain(error).detail, key: 'merkle' }),
    onSettled: onChanged,
  });
  const isHere = useIsHere();
  const create = useMutation({
    // All steps are one: what follows a step would not be done any more once the page is left.
    mutationFn: async ({ rows, note, over, goesOn }: Making) => {
      const made = { ...body, rows, base_version: over };
      const config = await api.createMerkleConfig({ body: note.trim() === '' ? made : { ...made, note } });
      onMade();
      if (!goesOn) return;
      const name = `Version ${config.version}`;
      await putInForce(config).catch(haltedAt(`${name} was made, but not activated`));
      await onGenerate().catch(haltedAt(`${name} was made and activated, but its tree could not be generated`));
    },
    onError: (error) => {
      const detail = (cause: unknown) => ({ tone: 'critical', detail: explain(cause).detail, key: 'merkle' }) as const;
      if (error instanceof Halted) toast({ title: error.message, ...detail(error.cause) });
      // The form says it where it still stands.
      else if (!isHere.current) toast({ title: 'The version was not made', ...detail(error) });
    },
    // Also of a refusal: somebody else may have made one meanwhile.
    onSettled: onChanged,
  });
  return { versions, latest, newest, hooks, activate, create };
}

/** Whether the part of the page still stands, for what ends later. */
function useIsHere() {
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}

/** The newest version with its rows, of which the older one stands while they are read; undefined before that. */
function useBase(isKnown: boolean, latest: Version | undefined, config: Config | undefined): Base | undefined {
  const [last, setLast] = useState<Base>();
  const isRead = isKnown && (latest === undefined || config !== undefined);
  const version = latest?.version ?? 0;
  if (isRead && last?.version !== version) setLast({ version, rows: rowsOf(config) });
  return last;
}

/** Whether a version is being made; at once for who was led here to make one. */
function useMaking() {
  const { anchor, key } = useArrival();
  const [isMaking, setIsMaking] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: who asks for it again arrives again
  useEffect(() => {
    if (anchor === 'new-version') setIsMaking(true);
  }, [anchor, key]);
  return [isMaking, setIsMaking] as const;
}

/** Versions of what the vault may execute. Old ones are for reading; a new one begins with the rows of the newest. */
export function ConfigsTab({ shown, onChanged, onGenerate }: Props) {
  const [isMaking, setIsMaking] = useMaking();
  const { versions, latest, newest, hooks, activate, create } = useConfigs(shown, {
    onChanged,
    onGenerate,
    onMade: () => {
      setIsMaking(false);
      onChanged();
    },
  });
  const [opened, setOpened] = useState<Version>();
  const { vault } = shown;
  const may = mayConfigure(vault.my_role);
  const base = useBase(versions.data !== undefined, latest, newest.data);
  const offered = hooks.data?.hooks;
  const isReady = offered !== undefined && base !== undefined;
  // Who comes to make one may be here before all is read for it.
  const isOpen = isMaking && isReady;
  return (
    <>
      {may && !isOpen ? (
        <span>
          <ReasonedButton
            look="primary"
            reason={isReady ? null : 'The registry and the versions are being read.'}
            onPress={() => setIsMaking(true)}
          >
            New version
          </ReasonedButton>
        </span>
      ) : null}
      {may && isOpen ? (
        <NewVersion
          shown={shown}
          hooks={offered}
          newest={base}
          create={{ ...create, error: create.error instanceof Halted ? null : create.error }}
          onCancel={() => {
            create.reset();
            setIsMaking(false);
          }}
          onSave={(rows, note, over, goesOn) => create.mutate({ rows, note, over, goesOn })}
        />
      ) : null}
      {may ? <ReadTrouble of={hooks} what="The registry of hooks" /> : null}
      <ReadTrouble of={newest} what="The newest version" />
      <ReadTrouble of={versions} what="The versions" />
      <Card isFlush className={isOpen && versions.data?.versions.length === 0 ? 'hidden' : ''}>
        {versions.data === undefined ? (
          versions.isError ? null : (
            <RowSkeletons rows={3} />
          )
        ) : (
          <Versions
            versions={versions.data.versions}
            may={may && !activate.isPending && !create.isPending}
            onOpen={setOpened}
            onActivate={(version) => activate.mutate(version)}
          />
        )}
      </Card>
      {opened === undefined ? null : (
        <VersionDialog vault={vault} version={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

type VersionsProps = {
  versions: readonly Version[];
  may: boolean;
  onOpen: (version: Version) => void;
  onActivate: (version: Version) => void;
};

function Versions({ versions, may, onOpen, onActivate }: VersionsProps) {
  if (versions.length === 0)
    return (
      <Empty title="No hook configuration yet">
        A version appears here once a manager creates one. Until then the vault has no tree of its own.
      </Empty>
    );
  return (
    <PlainTable
      label="Hook configurations"
      head={['Version', 'State', 'Rows', 'Made', 'Note', 'Actions']}
      words={[1, 4, 5]}
      isLastPinned
      rows={versions.map((version) => ({
        id: version.id,
        cells: [
          `Version ${version.version}`,
          <Pill key="state" tone={version.is_active ? 'ok' : 'plain'}>
            {version.is_active ? 'Active' : 'For reading'}
          </Pill>,
          formatCount(version.row_count),
          formatUtc(version.created_at),
          version.note ?? '',
          <span key="actions" className="flex flex-col gap-1 sm:flex-row sm:flex-wrap sm:gap-2">
            <Button aria-label={`Show version ${version.version}`} onPress={() => onOpen(version)}>
              Show
            </Button>
            {may && !version.is_active ? (
              <Button aria-label={`Activate version ${version.version}`} onPress={() => onActivate(version)}>
                Activate
              </Button>
            ) : null}
          </span>,
        ],
      }))}
    />
  );
}

function VersionDialog({ vault, version, onClose }: { vault: Vault; version: Version; onClose: () => void }) {
  const config = useRead('merkleConfig', { params: { id: version.id } });
  return (
    <Dialog title={`Version ${version.version}`} isOpen onClose={onClose}>
      {config.isError ? <Failure error={config.error} retry={() => config.refetch()} /> : null}
      {config.data === undefined ? (
        config.isError ? null : (
          <RowSkeletons rows={3} />
        )
      ) : (
        <ol className="flex flex-col divide-y text-13">
          {config.data.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a version never changes, and its rows have no other name
            <li key={index} className="flex flex-col gap-1 py-2">
              <span className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{row.hook_name}</span>
                <AddressTag value={row.hook_address} what="hook address" />
              </span>
              {Object.entries(row.params).map(([name, value]) => (
                <span key={name} className="flex flex-wrap gap-x-2 text-muted">
                  {[name.replaceAll('_', ' '), knownAs(vault, value)].filter(Boolean).join(': ')}
                  <code className="break-all font-mono text-12 text-text">{value}</code>
                </span>
              ))}
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
