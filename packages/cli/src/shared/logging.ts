import { standardLog } from '@orrery/fleet'
import { createLogger, type Logger, type LogLevel } from '@orrery/kube'
import { type Command, Option } from 'commander'

export interface LogOptions {
  readonly logLevel: LogLevel
  readonly logFormat: 'json' | 'text'
}

/** `--log-level` and `--log-format`, for every command that goes on running. */
export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'least severe messages to log')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .addOption(
      new Option('--log-format <format>', 'how log lines look')
        .choices(['text', 'json'])
        .default(process.stderr.isTTY ? 'text' : 'json'),
    )
}

/** The log that was asked for, on standard error. */
export function loggerOf({ logLevel, logFormat }: LogOptions): Logger {
  return createLogger({ level: logLevel, format: logFormat, write: standardLog() })
}
