//! Names that the standard libraries of C have, and what they are.
//!
//! In: a name. Out: what it is used as everywhere, as far as nothing else is known of it.

use super::names::{ALONE, FUNCTION, NAMED, OPERAND, STANDARD, TYPE, Uses};

/// Returns the uses of a name of the standard libraries; of any other, none.
pub(super) fn uses(name: &str) -> Uses {
    match name {
        "NULL" | "EOF" | "TRUE" | "FALSE" | "true" | "false" | "stdin" | "stdout" | "stderr"
        | "INT_MAX" | "INT_MIN" | "UINT_MAX" | "LONG_MAX" | "SIZE_MAX" | "EINTR" | "EINVAL"
        | "EAGAIN" | "ENOENT" | "ENOMEM" | "SEEK_SET" | "SEEK_CUR" | "SEEK_END"
        | "EXIT_SUCCESS" | "EXIT_FAILURE" => OPERAND | ALONE | STANDARD,
        "size_t" | "ssize_t" | "ptrdiff_t" | "int8_t" | "int16_t" | "int32_t" | "int64_t"
        | "uint8_t" | "uint16_t" | "uint32_t" | "uint64_t" | "intptr_t" | "uintptr_t"
        | "time_t" | "off_t" | "pid_t" | "FILE" | "DIR" | "va_list" => TYPE | NAMED | STANDARD,
        "printf" | "fprintf" | "sprintf" | "snprintf" | "vfprintf" | "vsnprintf" | "puts"
        | "fputs" | "putchar" | "fputc" | "fgets" | "fopen" | "fclose" | "fread" | "fwrite"
        | "fflush" | "fseek" | "ftell" | "perror" | "sscanf" | "malloc" | "calloc" | "realloc"
        | "strlen" | "strcmp" | "strncmp" | "strcasecmp" | "strcpy" | "strncpy" | "strcat"
        | "strchr" | "strrchr" | "strstr" | "strdup" | "strtol" | "strtoul" | "strerror"
        | "memcpy" | "memmove" | "memset" | "memcmp" | "memchr" | "atoi" | "atol" | "getenv"
        | "qsort" | "isspace" | "isdigit" | "isalpha" | "isalnum" | "toupper" | "tolower" => {
            FUNCTION | STANDARD
        }
        _ => 0,
    }
}
