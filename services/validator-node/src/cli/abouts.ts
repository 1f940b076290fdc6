/** What each command is for, in the order of the help. Apart from the commands, so that others can list them without loading a node. */
export const abouts = {
  run: 'Run the node until SIGTERM or SIGINT.',
  validate: 'Print the configuration as the node would use it, secrets masked, then every fault in it.',
  status: 'Print what the running node says of itself.',
  check:
    'Look whether the node is well after a change: health, then the configuration it runs with, then prices that advance.',
  'keys generate': 'Make new keys and write them, encrypted, to a bundle. An existing file is never replaced.',
  'keys export': 'Print the public parts that governance needs to register this node, after checking them.',
  'keys import':
    'Write a bundle whose keys come from keystore files (geth and others) or from another bundle. Keys that are not given are made new.',
  'guard export': 'Print what this signer has signed, to move it with the key. The node must be stopped.',
  'guard import': 'Raise the sign guard to what a file says; nothing is lowered. The node must be stopped.',
  evidence: 'Print the conflicting signatures that this node keeps, as JSON: whose they are, and both statements.',
  'bus permissions':
    'Print users and permissions of the message bus for the keys of the configuration that this node follows.',
} as const;

/** A command as it is typed: `keys generate`. */
export type CommandName = keyof typeof abouts;
