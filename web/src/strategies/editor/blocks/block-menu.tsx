import { clsx } from 'clsx';
import { Header, Keyboard, Menu, MenuItem, MenuSection, Popover, Text } from 'react-aria-components';
import { keysText } from '../../../navigation/keys.ts';
import { type BlockKeyName, blockKeys } from './block-keys.ts';
import { kindWords } from './block-words.ts';
import { lastCopy } from './clipboard.ts';
import { moved, newGroup, placeAfter, shifted } from './edits.ts';
import { type Block, blockAt, blocksOf } from './tree.ts';
import type { At, Blocks } from './use-blocks.ts';

type Item = { id: string; name: string; keys?: BlockKeyName; run: () => void; isOff?: boolean; isDanger?: boolean };
type Group = { title: string; items: Item[] };

/** What can be done with a block of the rule besides writing it. */
function ruleItems(block: Block, blocks: Blocks): Group[] {
  const { node, parent, index } = block;
  const { rule, take } = blocks;
  const isRoot = parent === undefined;
  const groups = blocksOf(rule).filter(
    (each) => each.node.type !== 'EXPR' && each.node !== parent && blockAt(node, each.node.key) === undefined,
  );
  const copy = () => {
    const text = blocks.copy(node.key);
    // Refused where the page may not write; what is pasted on this page needs no clipboard.
    if (text !== undefined) void navigator.clipboard?.writeText(text).catch(() => undefined);
  };
  const cut = () => {
    copy();
    blocks.remove(node.key);
  };
  return [
    {
      title: 'This block',
      items: [
        { id: 'copy', name: 'Copy', keys: 'copy', run: copy },
        { id: 'cut', name: 'Cut', keys: 'cut', run: cut, isOff: isRoot },
        { id: 'double', name: 'Duplicate', keys: 'double', run: () => blocks.double(node.key) },
        { id: 'group', name: 'Put into a group', keys: 'wrap', run: () => blocks.wrap(node.key, 'AND') },
        { id: 'not', name: 'Negate', keys: 'negate', run: () => blocks.wrap(node.key, 'NOT') },
        { id: 'up', name: 'Move up', keys: 'up', run: () => take(shifted(rule, node.key, -1)), isOff: index === 0 },
        {
          id: 'down',
          name: 'Move down',
          keys: 'down',
          run: () => take(shifted(rule, node.key, 1)),
          isOff: isRoot || index === parent.children.length - 1,
        },
        {
          id: 'remove',
          name: 'Remove',
          keys: 'remove',
          run: () => blocks.remove(node.key),
          isOff: isRoot,
          isDanger: true,
        },
      ],
    },
    ...(isRoot || groups.length === 0
      ? []
      : [
          {
            title: 'Move into',
            items: groups.map((group) => ({
              id: `into-${group.node.key}`,
              name: group.parent === undefined ? 'The rule' : `Group ${group.number}: ${kindWords(group.node)}`,
              run: () => take(moved(rule, node.key, placeAfter(rule, group.node.key, true))),
            })),
          },
        ]),
  ];
}

function groupsOf(at: At, blocks: Blocks): Group[] {
  const block = typeof at === 'number' ? blockAt(blocks.rule, at) : undefined;
  return [
    {
      title: 'Write',
      items: [
        { id: 'edit', name: 'Edit', keys: 'edit', run: () => blocks.go(at, true) },
        { id: 'condition', name: 'Add a condition', keys: 'condition', run: () => blocks.add(undefined, at) },
        { id: 'any', name: 'Add a group', keys: 'group', run: () => blocks.add(() => newGroup('OR'), at) },
        {
          id: 'paste',
          name: 'Paste',
          keys: 'paste',
          run: () => blocks.paste(lastCopy(), at),
          isOff: lastCopy() === '',
        },
      ],
    },
    ...(block === undefined ? [] : ruleItems(block, blocks)),
  ];
}

type Props = { at: At; element: Element; blocks: Blocks; onClose: () => void };

/** All that can be done with a block, for keys, fingers and mice alike. */
export function BlockMenu({ at, element, blocks, onClose }: Props) {
  const groups = groupsOf(at, blocks);
  const items = groups.flatMap((group) => group.items);
  return (
    <Popover
      aria-label="Options of the block"
      triggerRef={{ current: element }}
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      placement="bottom end"
      className="overflow-y-auto rounded-control border bg-surface p-1 shadow-[var(--shadow)]"
    >
      <Menu
        aria-label="Options of the block"
        autoFocus="first"
        onClose={onClose}
        disabledKeys={items.filter(({ isOff }) => isOff).map(({ id }) => id)}
        onAction={(id) => items.find((item) => item.id === id)?.run()}
        className="min-w-52 outline-none"
      >
        {groups.map(({ title, items: some }) => (
          <MenuSection key={title} id={title} className="border-b pb-1 last:border-0 last:pb-0">
            <Header className="px-3 pt-1.5 label-caps">{title}</Header>
            {some.map(({ id, name, keys, isDanger }) => (
              <MenuItem
                key={id}
                id={id}
                textValue={name}
                className={clsx(
                  'flex min-h-8 cursor-pointer items-center gap-4 rounded px-3 text-13 outline-none data-[disabled]:cursor-not-allowed data-[disabled]:opacity-50 data-[focused]:bg-raised',
                  isDanger && 'text-danger',
                )}
              >
                <Text slot="label">{name}</Text>
                {keys === undefined ? null : (
                  <Keyboard aria-hidden="true" className="ml-auto font-mono text-12 text-muted">
                    {keysText(blockKeys[keys])}
                  </Keyboard>
                )}
              </MenuItem>
            ))}
          </MenuSection>
        ))}
      </Menu>
    </Popover>
  );
}
