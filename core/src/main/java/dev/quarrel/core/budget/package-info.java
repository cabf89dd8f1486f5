/// The limits of a query, and the signal for it to stop: memory is reserved before it is allocated, and long
/// work asks [dev.quarrel.core.budget.Cancellation] at least once per morsel.
package dev.quarrel.core.budget;
