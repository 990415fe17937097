import { runCommands } from '@orrery/addon'
import { commands } from './commands.js'
import { ADDON } from './names.js'

process.exitCode = await runCommands(ADDON, commands)
