import { standardLog } from '@orrery/fleet'
import { createLogger, type Logger } from '@orrery/kube'
import type { LogLevel } from '@orrery/kube/log'
import { type Command, Option } from 'commander'

export interface LogOptions {
  readonly logLevel: LogLevel
  readonly logFormat: 'json' | 'text'
}

/** `--log-level` and `--log-format`, for long-running commands. */
export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'minimum severity of logged messages')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .addOption(
      new Option('--log-format <format>', 'format of log lines')
        .choices(['text', 'json'])
        .default(process.stderr.isTTY ? 'text' : 'json'),
    )
}

/** A logger with these options that writes to standard error. */
export function loggerOf({ logLevel, logFormat }: LogOptions): Logger {
  return createLogger({ level: logLevel, format: logFormat, write: standardLog() })
}
