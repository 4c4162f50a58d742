// SPDX-License-Identifier: MIT
#include "core/base/process.h"

#ifdef _WIN32

#include <windows.h>

#include "core/base/wide.h"

namespace zarr {

std::uint64_t ProcessId() { return GetCurrentProcessId(); }

std::string ProcessStart(std::uint64_t id) {
    // A larger number would be cut off, and name another process.
    if (id > MAXDWORD) return {};
    const HANDLE process =
        OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, static_cast<DWORD>(id));
    if (process == nullptr) return GetLastError() == ERROR_INVALID_PARAMETER ? "" : "unknown";
    FILETIME start{};
    FILETIME end{};
    FILETIME kernel{};
    FILETIME user{};
    // A process that has ended keeps its number while another process has it open.
    const bool has_ended = WaitForSingleObject(process, 0) == WAIT_OBJECT_0;
    const bool is_known = GetProcessTimes(process, &start, &end, &kernel, &user) != 0;
    CloseHandle(process);
    if (has_ended) return {};
    if (!is_known) return "unknown";
    return std::to_string(std::uint64_t{start.dwHighDateTime} << 32U | start.dwLowDateTime);
}

std::string HostName() {
    wchar_t name[256] = L"";
    DWORD size = 256;
    return GetComputerNameExW(ComputerNameDnsHostname, name, &size) != 0 ? Narrow(name) : "unknown";
}

std::string MachineMark() {
    wchar_t mark[64] = L"";
    DWORD size = sizeof mark;
    const LSTATUS status =
        RegGetValueW(HKEY_LOCAL_MACHINE, L"SOFTWARE\\Microsoft\\Cryptography", L"MachineGuid",
                     RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY, nullptr, mark, &size);
    return status == ERROR_SUCCESS ? Narrow(mark) : "unknown";
}

}  // namespace zarr

#else

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>

namespace zarr {

namespace {

std::string FirstLine(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

}  // namespace

std::uint64_t ProcessId() { return static_cast<std::uint64_t>(getpid()); }

std::string ProcessStart(std::uint64_t id) {
    if (kill(static_cast<pid_t>(id), 0) != 0 && errno == ESRCH) return {};
    const std::string state = FirstLine("/proc/" + std::to_string(id) + "/stat");
    const std::size_t name_end = state.rfind(')');
    if (name_end == std::string::npos) return "unknown";
    std::istringstream fields(state.substr(name_end + 1));
    constexpr int kStart = 20;  // number of the field, counted from behind the name
    std::string field;
    for (int i = 0; i < kStart; ++i) fields >> field;
    return field;
}

std::string HostName() {
    char name[256] = "";
    if (gethostname(name, sizeof name - 1) != 0) return "unknown";
    return name;
}

std::string MachineMark() {
    char numbers[64] = "";
    static_cast<void>(readlink("/proc/self/ns/pid", numbers, sizeof numbers - 1));
    return FirstLine("/proc/sys/kernel/random/boot_id") + " " + numbers;
}

}  // namespace zarr

#endif
