import { Buffer } from 'node:buffer'
import { durationToMilliseconds, isObject, parseDuration } from '@orrery/kinds/values'
import { parse } from 'yaml'
import type { ClientCredentials, Material } from './credentials.js'
import type { GrpcChannelOptions } from './grpc-channel.js'
import type { MqttChannelOptions, QualityOfService } from './mqtt-channel.js'
import { checkTopics, type MqttTopics } from './topics.js'

/** A configuration file is not valid. The message names the file and the field. */
export class ConfigError extends Error {
  constructor(file: string, problem: string) {
    super(`${file}: ${problem}`)
    this.name = 'ConfigError'
  }
}

export type GrpcConfig = Pick<GrpcChannelOptions, 'url' | 'credentials' | 'keepAlive' | 'healthinessMilliseconds'>
export type MqttConfig = Omit<MqttChannelOptions, 'clientId' | 'topics' | 'clock' | 'log' | 'random'> & {
  readonly topics: MqttTopics
}

const MILLISECOND_IN_NANOSECONDS = 1_000_000
const KEEP_ALIVE = { milliseconds: 30_000, timeoutMilliseconds: 10_000 }

/**
 * Parses the gRPC configuration of Open Cluster Management and Maestro: `url`, certificates, `token`, `keepAliveConfig`
 * and `serverHealthinessTimeout`.
 * @param file The name of the file, for errors.
 */
export function parseGrpcConfig(text: string, file: string): GrpcConfig {
  const fields = new Fields(text, file)
  const url = fields.text('url')
  if (url === undefined) throw new ConfigError(file, 'url is required: set it to host:port')
  const token = fields.material('token', 'tokenFile')
  const credentials = { ...credentialsOf(fields), ...(token !== undefined && { token }) }
  const keepAlive = fields.child('keepAliveConfig')
  const healthinessMilliseconds = fields.duration('serverHealthinessTimeout')
  return {
    url,
    credentials,
    ...(keepAlive?.boolean('enable') === true && {
      keepAlive: {
        milliseconds: keepAlive.duration('time') ?? KEEP_ALIVE.milliseconds,
        timeoutMilliseconds: keepAlive.duration('timeout') ?? KEEP_ALIVE.timeoutMilliseconds,
        always: keepAlive.boolean('permitWithoutStream') ?? false,
      },
    }),
    ...(healthinessMilliseconds !== undefined && { healthinessMilliseconds }),
  }
}

/**
 * Parses the MQTT configuration of Open Cluster Management and Maestro: `brokerHost`, certificates, `username`, `password`,
 * `keepAlive`, `dialTimeout`, `pubQoS`, `subQoS` and `topics`.
 * @param file The name of the file, for errors.
 */
export function parseMqttConfig(text: string, file: string): MqttConfig {
  const fields = new Fields(text, file)
  const brokerHost = fields.text('brokerHost')
  if (brokerHost === undefined) throw new ConfigError(file, 'brokerHost is required: set it to host:port')
  const [username, password] = [fields.text('username'), fields.text('password')]
  const [keepAliveSeconds, dialMilliseconds] = [fields.integer('keepAlive'), fields.duration('dialTimeout')]
  const [publishQos, subscribeQos] = [fields.qos('pubQoS'), fields.qos('subQoS')]
  return {
    brokerHost,
    credentials: credentialsOf(fields),
    topics: topicsOf(fields, file),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(keepAliveSeconds !== undefined && { keepAliveSeconds }),
    ...(dialMilliseconds !== undefined && { dialMilliseconds }),
    ...(publishQos !== undefined && { publishQos }),
    ...(subscribeQos !== undefined && { subscribeQos }),
  }
}

function topicsOf(fields: Fields, file: string): MqttTopics {
  const child = fields.child('topics')
  const [sourceEvents, agentEvents] = [child?.text('sourceEvents'), child?.text('agentEvents')]
  const [sourceBroadcast, agentBroadcast] = [child?.text('sourceBroadcast'), child?.text('agentBroadcast')]
  if (sourceEvents === undefined || agentEvents === undefined) {
    throw new ConfigError(file, 'topics.sourceEvents and topics.agentEvents are required')
  }
  const topics = {
    sourceEvents,
    agentEvents,
    ...(sourceBroadcast !== undefined && { sourceBroadcast }),
    ...(agentBroadcast !== undefined && { agentBroadcast }),
  }
  try {
    checkTopics(topics)
  } catch (error) {
    throw new ConfigError(file, (error as Error).message)
  }
  return topics
}

function credentialsOf(fields: Fields): ClientCredentials {
  const ca = fields.material('caData', 'caFile')
  const certificate = fields.material('clientCertData', 'clientCertFile')
  const key = fields.material('clientKeyData', 'clientKeyFile')
  if ((certificate === undefined) !== (key === undefined)) {
    throw new ConfigError(fields.file, 'set both clientCertFile and clientKeyFile, or none of them')
  }
  return {
    ...(ca !== undefined && { ca }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
  }
}

/** The fields of a YAML object, each read as one type. An empty text counts as unset. */
class Fields {
  readonly file: string
  readonly #path: string
  readonly #values: Readonly<Record<string, unknown>>

  constructor(source: string | Readonly<Record<string, unknown>>, file: string, path = '') {
    this.file = file
    this.#path = path
    const values = typeof source === 'string' ? parsed(source, file) : source
    if (!isObject(values)) throw new ConfigError(file, 'the configuration is not a YAML object')
    this.#values = values
  }

  text(name: string): string | undefined {
    const value = this.#get(name)
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw this.#error(name, 'a string')
    return value
  }

  /** Texts other than a token are base64 of PEM, and override the file. */
  material(textName: string, fileName: string): Material | undefined {
    const [value, file] = [this.text(textName), this.text(fileName)]
    if (value !== undefined)
      return { text: textName === 'token' ? value : Buffer.from(value, 'base64').toString('utf8') }
    return file === undefined ? undefined : { file }
  }

  boolean(name: string): boolean | undefined {
    const value = this.#get(name)
    if (value !== undefined && typeof value !== 'boolean') throw this.#error(name, 'true or false')
    return value
  }

  integer(name: string): number | undefined {
    const value = this.#get(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 65_535) {
      throw this.#error(name, 'an integer from 0 to 65535')
    }
    return value
  }

  qos(name: string): QualityOfService | undefined {
    const value = this.#get(name)
    if (value === undefined || value === 0 || value === 1 || value === 2) return value
    throw this.#error(name, '0, 1 or 2')
  }

  /** A text such as `20s`, or a number of nanoseconds, as Go reads durations. Returns milliseconds. */
  duration(name: string): number | undefined {
    const value = this.#get(name)
    if (value === undefined) return undefined
    if (typeof value === 'number' && value > 0) return value / MILLISECOND_IN_NANOSECONDS
    try {
      if (typeof value === 'string') return durationToMilliseconds(parseDuration(value))
    } catch {
      throw this.#error(name, 'a duration such as 20s')
    }
    throw this.#error(name, 'a duration such as 20s')
  }

  child(name: string): Fields | undefined {
    const value = this.#get(name)
    if (value === undefined) return undefined
    if (!isObject(value)) throw this.#error(name, 'an object')
    return new Fields(value, this.file, `${this.#path}${name}.`)
  }

  #get(name: string): unknown {
    return this.#values[name] ?? undefined
  }

  #error(name: string, expected: string): ConfigError {
    return new ConfigError(this.file, `${this.#path}${name} is not valid: use ${expected}`)
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new ConfigError(file, `the file is not valid YAML: ${(error as Error).message}`)
  }
}
