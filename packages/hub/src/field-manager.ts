/** The field manager that owns the fields which the hub applies. */
export const HUB_FIELD_MANAGER = 'orrery-hub'
