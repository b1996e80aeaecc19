#pragma once

/// The functions that the page gives to the machine (site/machine/machine.js). Text is UTF-8, in the module's memory.
extern "C" {
/// Ends the call into the module with an error of this text. What the module holds is lost.
[[noreturn]] void page_failed(char const* text, unsigned size);
/// Calls `guarded_block(index)`, and returns when it has ended or `page_give_up` was called in it.
void page_guard(int index);
/// Ends the innermost `page_guard`. No destructor runs.
[[noreturn]] void page_give_up();
/// Runs the block of the page's kernel: `page_thread` is for each thread of each of its steps.
void page_block(int index);
void page_thread(int thread);
/// The result of the operator that the page has read from an expression.
double page_combine(double a, double b);
}
