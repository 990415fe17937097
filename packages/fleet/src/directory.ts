import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'

/** Where the parts of a fleet keep what they have, below one directory. */
export interface FleetDirectory {
  readonly root: string
  /** Administrators' credentials for the hub and every cluster, a context each. */
  readonly kubeconfig: string
  /** What the fleet consists of. */
  readonly plan: string
  /** What runs now. */
  readonly run: string
  /** How a cluster introduces itself to the hub. */
  readonly bootstrap: string
  /** Which images run as programs of this machine. */
  readonly programs: string
  /** The data of a part. */
  data(part: string): string
  /** What a part writes about itself. */
  log(part: string): string
  /** How people would type a command about this fleet, quoted. */
  command(name: string): string
}

/** The hub's name as a part, and its context in the kubeconfig. */
export const HUB = 'hub'

const PLAIN_WORD = /^[\w@%+=:,./-]+$/

/** A word as it is typed in a shell, in quotes where it needs them. */
export function shellWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

type Environment = Readonly<Record<string, string | undefined>>

/** Empty where there is none to be found: then the working directory stands for it, as it does in a shell. */
function homeIn({ HOME }: Environment): string {
  if (HOME) return HOME
  try {
    return userInfo().homedir
  } catch {
    // A user that the system has no entry for, as in many containers.
    return ''
  }
}

/** The fleet in a directory: the one that is named, else `ORRERY_DATA`, else `~/.orrery/fleet`. */
export function fleetDirectory(named?: string, environment: Environment = process.env): FleetDirectory {
  const usual = resolve(environment.ORRERY_DATA || join(homeIn(environment), '.orrery', 'fleet'))
  const root = named ? resolve(named) : usual
  const data = root === usual ? '' : ` --data ${shellWord(root)}`
  return {
    root,
    kubeconfig: join(root, 'kubeconfig'),
    plan: join(root, 'fleet.json'),
    run: join(root, 'run.json'),
    bootstrap: join(root, 'bootstrap-kubeconfig'),
    programs: join(root, 'programs.json'),
    data: (part) => (part === HUB ? join(root, HUB) : join(root, 'clusters', part)),
    log: (part) => join(root, 'logs', `${part}.log`),
    command: (name) => `\`orrery ${name}${data}\``,
  }
}
