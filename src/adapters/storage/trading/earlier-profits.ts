/** The reference of what an account realised beyond its trades before profits were stored by booking. */
export const earlierProfits = (userId: number): string => `earlier:${userId}`
