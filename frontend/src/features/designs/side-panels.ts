/** The names under which a person's preference remembers what stands beside the canvas. */
export const ROLES = 'designer-roles'
export const PROPERTIES = 'designer-properties'
