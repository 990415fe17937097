import { createPrivateKey, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import {
  type Authority,
  altNamesOf,
  type Credentials,
  createAuthority,
  DistinguishedName,
  generateKey,
  issueLeaf,
  type LeafOptions,
  loadAuthority,
  privateKeyPem,
  readLeaf,
} from '@orrery/kube/pki'
import { makePrivateDirectory, readIfThere, syncDirectory, writeAtomically } from './files.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const BACKDATE = 5 * MINUTE
const AUTHORITY_LIFETIME = 3650 * DAY
const LEAF_LIFETIME = 365 * DAY
/** Leaf certificates are renewed when a third of their lifetime is left, the CA certificate when a year is left. */
const LEAF_RENEWAL = LEAF_LIFETIME / 3
const AUTHORITY_RENEWAL = 365 * DAY
/**
 * Short, since the clock of a machine can jump: it may be wrong at the start, or the machine was suspended for months.
 */
const CHECK_INTERVAL = MINUTE

const ALWAYS_SERVED = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]

export interface ClusterPkiOptions {
  /** The directory of the files. It is created if missing. */
  readonly directory: string
  /** Additional host names and addresses of the server. */
  readonly hosts?: readonly string[]
  /** The first address of the service network. Defaults to 10.96.0.1. */
  readonly serviceIp?: string
  /**
   * Defaults to the system clock. It determines the validity of certificates, which TLS peers check by their own clock.
   */
  readonly clock?: Clock
  /** Defaults to no logging. */
  readonly log?: Logger
}

/** The keys and certificates of one cluster, stored in a directory and renewed before they expire. */
export interface ClusterPki {
  readonly authority: Authority
  /**
   * The front proxy CA of Kubernetes. It is separate: a CA that also signs client certificates would let those clients
   * impersonate any user.
   */
  readonly frontProxyAuthority: Authority
  /** The serving certificate. It is renewed: use `onServingRenewed`. */
  readonly serving: Credentials
  /** The administrator `kubernetes-admin` in the group `system:masters`. */
  readonly admin: Credentials
  /** Signs service account tokens. */
  readonly serviceAccountKey: KeyObject
  /** Calls back with renewed serving credentials. Returns a function that stops it. */
  onServingRenewed(listener: (credentials: Credentials) => void): () => void
  close(): void
}

interface LeafSpec extends Omit<LeafOptions, 'notBefore' | 'notAfter'> {
  readonly file: string
}

const ADMIN: LeafSpec = {
  file: 'admin',
  subject: DistinguishedName.of('kubernetes-admin', ['system:masters']),
  altNames: altNamesOf([]),
  usages: ['digital signature', 'key encipherment', 'client auth'],
}

/** Opens the directory and creates what is missing, expired or no longer matches. */
export async function openClusterPki(options: ClusterPkiOptions): Promise<ClusterPki> {
  const { directory, clock = systemClock, log = silentLogger, serviceIp = '10.96.0.1' } = options
  await makePrivateDirectory(directory)
  const [authority, frontProxyAuthority] = await Promise.all([
    openAuthority(directory, 'ca', 'kubernetes', clock.now()),
    openAuthority(directory, 'front-proxy-ca', 'front-proxy-ca', clock.now()),
  ])
  const server: LeafSpec = {
    file: 'apiserver',
    subject: DistinguishedName.of('kube-apiserver'),
    altNames: altNamesOf([...ALWAYS_SERVED, serviceIp, ...(options.hosts ?? [])]),
    usages: ['digital signature', 'key encipherment', 'server auth'],
  }
  const [serving, admin, serviceAccountKey] = await Promise.all([
    openLeaf(directory, server, authority, clock.now()),
    openLeaf(directory, ADMIN, authority, clock.now()),
    openServiceAccountKey(directory),
  ])
  await syncDirectory(directory)
  const opened = { directory, clock, log, server, authority, frontProxyAuthority, serving, admin, serviceAccountKey }
  return new RenewingPki(opened)
}

interface Opened {
  readonly directory: string
  readonly clock: Clock
  readonly log: Logger
  readonly server: LeafSpec
  readonly authority: Authority
  readonly frontProxyAuthority: Authority
  readonly serving: Credentials
  readonly admin: Credentials
  readonly serviceAccountKey: KeyObject
}

class RenewingPki implements ClusterPki {
  readonly authority: Authority
  readonly frontProxyAuthority: Authority
  readonly admin: Credentials
  readonly serviceAccountKey: KeyObject
  readonly #opened: Opened
  readonly #listeners = new Set<(credentials: Credentials) => void>()
  #serving: Credentials
  #cancel: () => void
  #closed = false

  constructor(opened: Opened) {
    this.#opened = opened
    this.authority = opened.authority
    this.frontProxyAuthority = opened.frontProxyAuthority
    this.admin = opened.admin
    this.serviceAccountKey = opened.serviceAccountKey
    this.#serving = opened.serving
    this.#cancel = this.#scheduleCheck()
  }

  get serving(): Credentials {
    return this.#serving
  }

  onServingRenewed(listener: (credentials: Credentials) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#closed = true
    this.#cancel()
  }

  #scheduleCheck(): () => void {
    return this.#opened.clock.after(CHECK_INTERVAL, () => this.#check())
  }

  #check(): void {
    if (this.#closed) return
    const { clock, server, authority } = this.#opened
    if (!isUsable(this.#serving, server, authority, clock.now())) this.#renew()
    this.#cancel = this.#scheduleCheck()
  }

  /** Replaced in memory first: a disk that refuses the files must not keep the server on an expiring certificate. */
  #renew(): void {
    const { directory, clock, log, server, authority } = this.#opened
    this.#serving = createLeaf(server, authority, clock.now())
    for (const listener of this.#listeners) listener(this.#serving)
    log.info('serving certificate renewed')
    writeLeaf(directory, server, this.#serving).catch((error: unknown) => {
      log.warn('renewed serving certificate cannot be saved; the next start creates another', { error })
    })
  }
}

/** The key is written before the certificate, so that after a crash in between the next start certifies the key. */
async function openAuthority(directory: string, file: string, name: string, now: Date): Promise<Authority> {
  const certificatePath = join(directory, `${file}.crt`)
  const keyPath = join(directory, `${file}.key`)
  const [certificatePem, keyPem] = await Promise.all([readIfThere(certificatePath), readIfThere(keyPath)])
  if (certificatePem !== undefined && keyPem === undefined) {
    throw new Error(`${certificatePath} exists but ${keyPath} does not: restore it, or remove both to create new ones`)
  }
  if (certificatePem !== undefined && keyPem !== undefined) {
    const authority = undamaged(`${certificatePath} or ${keyPath}`, () => loadAuthority(certificatePem, keyPem))
    const { notBefore, notAfter } = authority.certificate
    if (notBefore <= now && notAfter.getTime() - now.getTime() > AUTHORITY_RENEWAL) return authority
  }
  const key = keyPem === undefined ? generateKey().privateKey : undamaged(keyPath, () => createPrivateKey(keyPem))
  if (keyPem === undefined) await writeAtomically(keyPath, privateKeyPem(key))
  const authority = createAuthority(name, key, ...validity(now, AUTHORITY_LIFETIME))
  await writeAtomically(certificatePath, authority.certificatePem)
  return authority
}

async function openLeaf(directory: string, spec: LeafSpec, authority: Authority, now: Date): Promise<Credentials> {
  const [certificate, key] = await Promise.all([
    readIfThere(join(directory, `${spec.file}.crt`)),
    readIfThere(join(directory, `${spec.file}.key`)),
  ])
  if (certificate !== undefined && key !== undefined) {
    const found = { certificate, key }
    // Earlier versions wrote another form of the key, which not every reader of a kubeconfig supports.
    if (isUsable(found, spec, authority, now)) return { certificate, key: privateKeyPem(createPrivateKey(key)) }
  }
  const made = createLeaf(spec, authority, now)
  await writeLeaf(directory, spec, made)
  return made
}

function isUsable(credentials: Credentials, spec: LeafSpec, authority: Authority, now: Date): boolean {
  const certificate = readLeaf(credentials, authority, spec.altNames)
  if (certificate === undefined) return false
  return certificate.notBefore <= now && certificate.notAfter.getTime() - now.getTime() > LEAF_RENEWAL
}

function createLeaf({ file: _, ...leaf }: LeafSpec, authority: Authority, now: Date): Credentials {
  const [notBefore, notAfter] = validity(now, LEAF_LIFETIME)
  return issueLeaf(authority, { ...leaf, notBefore, notAfter })
}

async function writeLeaf(directory: string, spec: LeafSpec, credentials: Credentials): Promise<void> {
  await Promise.all([
    writeAtomically(join(directory, `${spec.file}.key`), credentials.key),
    writeAtomically(join(directory, `${spec.file}.crt`), credentials.certificate),
  ])
}

async function openServiceAccountKey(directory: string): Promise<KeyObject> {
  const path = join(directory, 'sa.key')
  const pem = await readIfThere(path)
  if (pem !== undefined) return undamaged(path, () => createPrivateKey(pem))
  const { privateKey } = generateKey()
  await writeAtomically(path, privateKeyPem(privateKey))
  return privateKey
}

/** Reads a file that cannot be recreated, since clients and tokens depend on it: an administrator decides. */
function undamaged<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`${path} is damaged (${why}): restore a copy, or remove it to create a new one`, { cause: error })
  }
}

function validity(now: Date, lifetime: number): [Date, Date] {
  return [new Date(now.getTime() - BACKDATE), new Date(now.getTime() + lifetime)]
}
